// Judges whether pods can mount a PersistentVolumeClaim. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/preflight/finding.h"
#include "job/preflight/predicted_pods.h"

namespace trainctl::job {

// The number of replicas that mount the claim.
int mounts_of(const std::vector<PredictedPod>& pods, const std::string& claim);

// `storage_classes`: those of the cluster; null when the user may not list them.
Findings judge_claim(const Json& claim, int mounts, const std::vector<Json>* storage_classes);

// Judges an existing claim that has the name of one to be created for this job alone. It fails,
// unless an earlier job of the same kind and name owns it: that claim is deleted with that job.
Findings judge_own_claim(const Json& claim, const Kind& kind, std::string_view job);

}  // namespace trainctl::job
