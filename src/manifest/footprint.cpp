// Counts replicas and GPUs, and asks the operator's prediction for the world size.
#include "manifest/footprint.h"

#include <algorithm>

#include "base/text/text.h"
#include "manifest/environment.h"
#include "manifest/manifest.h"
#include "manifest/operator/wanted_objects.h"
#include "manifest/program.h"

namespace trainctl::job {

std::string leaders_variable(const Kind& kind, const Json& manifest, std::string_view name) {
  const auto first = leader(kind, manifest);
  if (!first || name.empty()) return "";
  const Json replica = {{"template", predicted_pod(kind, manifest, *first)}};
  const Json* container = find_container(replica, kind.container);
  const Json* variable = container == nullptr ? nullptr : last_variable(*container, name);
  return variable == nullptr ? "" : text_at(*variable, "/value");
}

std::optional<std::int64_t> gpu_count(const Kind& kind, const Json& manifest) {
  if (runs_by_runtime(kind)) return runtime_gpus(kind, manifest);
  std::int64_t gpus = 0;
  for (const Replica& replica : replicas_of(kind, manifest)) {
    if (replica.role == nullptr) continue;
    const int count = std::max(0, replica_count(kind, manifest, *replica.role));
    for (const Json& container : array_at(*replica.spec, "/template/spec/containers")) {
      gpus += count * gpus_of(container);
    }
  }
  return gpus;
}

std::string footprint(const Kind& kind, const Json& manifest, std::string_view one_role) {
  if (runs_by_runtime(kind)) return runtime_footprint(kind, manifest);
  std::vector<std::string> roles;
  std::int64_t pods = 0;
  for (const Replica& replica : replicas_of(kind, manifest)) {
    if (replica.role == nullptr) continue;
    const int count = replica_count(kind, manifest, *replica.role);
    if (count <= 0) continue;
    pods += count;
    roles.push_back(cat(replica.role->prefix, ' ', count));
  }
  const std::int64_t gpus = gpu_count(kind, manifest).value_or(0);
  if (!one_role.empty()) roles = {cat(one_role, ' ', pods)};
  std::string text = cat(plural(pods, "pod"), " (", join(roles, " + "), "), ");
  text += gpus == 0 ? "no GPUs" : plural(gpus, "GPU");
  const bool is_elastic = find(manifest, "/spec/elasticPolicy") != nullptr;
  const std::string world = is_elastic ? "" : leaders_variable(kind, manifest, kind.world_variable);
  if (!world.empty()) text += cat(", ", kind.world_variable, ' ', world);
  return text;
}

}  // namespace trainctl::job
