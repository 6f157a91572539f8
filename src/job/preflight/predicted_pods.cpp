// Takes the first replica of each role: the others differ in their number alone.
#include "job/preflight/predicted_pods.h"

#include "base/text/text.h"
#include "job/operator/operated_job.h"
#include "job/operator/wanted_objects.h"

namespace trainctl::job {

std::vector<PredictedPod> predicted_pods(const Kind& kind, const Json& job) {
  const OperatedKind* operated_kind = find_operated_kind(kind);
  if (operated_kind == nullptr) return {};
  OperatedJob operated = operated_job(*operated_kind, job);
  if (operated.name.empty()) operated.name = text_at(job, "/metadata/generateName") + 'x';
  std::vector<PredictedPod> pods;
  for (const OperatedReplica& replica : operated.replicas) {
    if (replica.count <= 0) continue;
    Json pod = wanted_pod(operated, replica, 0);
    Json& metadata = pod["metadata"];
    metadata.erase("name");
    metadata.erase("ownerReferences");
    // The operator itself makes the account of an MPI launcher, and not before the job exists.
    const std::string account = text_at(replica.pod, "/spec/serviceAccountName");
    if (account.empty()) pod["spec"].erase("serviceAccountName");
    metadata["generateName"] = cat(operated.name, '-', replica.type, '-');
    pods.push_back({replica.type, replica.count, std::move(pod)});
  }
  return pods;
}

}  // namespace trainctl::job
