// Selects by labels and fields, so that the server sends no more than is read.
#include "job/status/surroundings.h"

namespace trainctl::job {

SurroundingTargets surrounding_targets(const std::string& ns, std::span<const Kind* const> kinds) {
  std::vector<kube::WatchTarget> pods;
  for (const std::string_view label : job_labels(kinds)) {
    pods.push_back({kube::k_pods, ns, {std::string(label), ""}});
  }
  return {.pods = std::move(pods),
          .warnings = {kube::k_events, ns, {"", "type!=Normal"}},
          .exits = {kube::k_events, ns, {"", "reason=ExitedWithCode"}}};
}

}  // namespace trainctl::job
