// Judges whether a queue of Kueue could ever admit a job. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/preflight/finding.h"
#include "job/preflight/predicted_pods.h"

namespace trainctl::job {

// The ClusterQueue behind a LocalQueue; "" = none.
std::string cluster_queue_of(const Json& local_queue);

// For a label that names a queue which does not exist, and for a cluster without Kueue.
Findings judge_missing_queue(const std::string& queue, const std::string& ns);
Findings judge_missing_kueue(const std::string& queue);

Findings judge_local_queue(const Json& local_queue);
// Judges whether each role fits into some flavor's quota with all that the flavor may borrow.
Findings judge_cluster_queue(const std::vector<PredictedPod>& pods, const Json& cluster_queue);

}  // namespace trainctl::job
