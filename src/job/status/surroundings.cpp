// Selects by labels and fields, so that the server sends no more than is read.
#include "job/status/surroundings.h"

#include "job/kind/kind.h"

namespace trainctl::job {

SurroundingTargets surrounding_targets(const std::string& ns, std::string_view job_name) {
  std::string pods =
      job_name.empty() ? std::string(k_label_job_name) : pod_selector(nullptr, job_name);
  return {.pods = {kube::k_pods, ns, {std::move(pods), ""}},
          .warnings = {kube::k_events, ns, {"", "type!=Normal"}},
          .exits = {kube::k_events, ns, {"", "reason=ExitedWithCode"}}};
}

}  // namespace trainctl::job
