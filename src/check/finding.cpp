// Predicts pods as the training operator makes them.
#include "check/finding.h"

#include <utility>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "manifest/operator/operated_job.h"
#include "manifest/operator/wanted_objects.h"

namespace trainctl::job {

std::string amount_text(std::string_view resource, std::int64_t thousandths) {
  constexpr std::int64_t k_gibi = std::int64_t{1} << 30U;
  constexpr std::int64_t k_mebi = std::int64_t{1} << 20U;
  const std::int64_t whole = thousandths / k_milli_per_unit;
  const bool is_bytes = resource.ends_with("memory") || resource.ends_with("storage");
  if (is_bytes && whole >= k_gibi) return cat(whole / k_gibi, "Gi");
  if (is_bytes && whole >= k_mebi) return cat(whole / k_mebi, "Mi");
  return canonical_quantity(thousandths % k_milli_per_unit == 0 ? std::to_string(whole)
                                                                : cat(thousandths, "m"));
}

std::vector<PredictedPod> predicted_pods(const Kind& kind, const Json& job) {
  if (kind.operated == nullptr) return {};
  OperatedJob operated = operated_job(kind, job);
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
