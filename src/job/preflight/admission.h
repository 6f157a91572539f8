// Judges a job by a dry run of a replica's pod, and a run by the rights that it needs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "job/preflight/finding.h"
#include "kube/client/discovery.h"
#include "kube/client/resource.h"

namespace trainctl::job {

// Judges a pod whose dry run the server refused, or did not decide. A job's own dry run shows
// nothing of this, since quotas, limit ranges, pod security and webhooks act when the operator
// creates its pods.
Finding judge_refused_pod(const std::string& role, const Error& refusal);

// The rights that a run needs, and what is lost without one. Pure.
struct NeededRight {
  kube::Action action;
  Severity without;
  std::string_view consequence;
};

// `jobs`: the job's kind.
std::vector<NeededRight> needed_rights(const kube::Resource& jobs);

// Nothing for a right that the user has, or of which the server says nothing (nullopt).
Findings judge_right(const NeededRight& right, std::optional<bool> allowed, const std::string& ns);

}  // namespace trainctl::job
