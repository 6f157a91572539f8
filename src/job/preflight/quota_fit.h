// Judges whether a namespace's ResourceQuotas, or a queue of Kueue, leave room for a job. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/preflight/finding.h"

namespace trainctl::job {

// Fails where a quota is smaller than the job, and may fail where others have taken the room.
// Quotas that concern only some pods are left out: the pods' own admission decides about them.
Findings judge_quotas(const std::vector<PredictedPod>& pods, const std::vector<Json>& quotas);

// Judges whether a queue of Kueue could ever admit a job. Pure.

// The ClusterQueue behind a LocalQueue; "" = none.
std::string cluster_queue_of(const Json& local_queue);

// For a label that names a queue which does not exist, and for a cluster without Kueue.
Findings judge_missing_queue(const std::string& queue, const std::string& ns);
Findings judge_missing_kueue(const std::string& queue);

Findings judge_local_queue(const Json& local_queue);
// Judges whether each role fits into some flavor's quota with all that the flavor may borrow.
Findings judge_cluster_queue(const std::vector<PredictedPod>& pods, const Json& cluster_queue);

}  // namespace trainctl::job
