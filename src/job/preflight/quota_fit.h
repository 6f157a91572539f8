// Judges whether a namespace's ResourceQuotas leave room for a job. Pure.
#pragma once

#include <vector>

#include "base/value/json.h"
#include "job/preflight/finding.h"
#include "job/preflight/predicted_pods.h"

namespace trainctl::job {

// Fails where a quota is smaller than the job, and may fail where others have taken the room.
// Quotas that concern only some pods are left out: the pods' own admission decides about them.
Findings judge_quotas(const std::vector<PredictedPod>& pods, const std::vector<Json>& quotas);

}  // namespace trainctl::job
