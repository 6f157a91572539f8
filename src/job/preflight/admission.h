// Judges a job by the server's answer to a dry run of a replica's pod. Pure.
#pragma once

#include <string>

#include "base/error.h"
#include "job/preflight/finding.h"

namespace trainctl::job {

// Judges a pod whose dry run the server refused, or did not decide. A job's own dry run shows
// nothing of this, since quotas, limit ranges, pod security and webhooks act when the operator
// creates its pods.
Finding judge_refused_pod(const std::string& role, const Error& refusal);

}  // namespace trainctl::job
