// Computes what a job will take of the cluster, and warnings about it.
#include "base/text/text.h"
#include "job/manifest/check.h"
#include "job/manifest/check_fault.h"
#include "job/manifest/check_fields.h"
#include "job/manifest/elastic.h"
#include "job/manifest/manifest.h"
#include "job/manifest/plain_credentials.h"
#include "job/manifest/runtime_program.h"

namespace trainctl::job {

std::vector<std::string> manifest_warnings(const Kind& kind, const Json& manifest) {
  std::vector<std::string> warnings;
  for (const UnknownField& field : unknown_fields(kind.schema_type(), manifest)) {
    warnings.push_back(
        cat(dotted(field.pointer),
            " is a field unknown to trainctl: a server that does not know it refuses "
            "the job"));
  }
  const auto replicas = replicas_of(kind, manifest);
  bool may_restart = false;
  for (const Replica& replica : replicas) {
    const std::string policy = text_at(*replica.spec, "/restartPolicy");
    may_restart = may_restart || policy != "Never";
    if (policy == "Always") {
      warnings.push_back(cat(replica.key,
                             " has restartPolicy Always: its pods never succeed, so the "
                             "job may never end"));
    }
  }
  if (may_restart && !int_at(manifest, cat(kind.controller.run_policy, "/backoffLimit"))) {
    warnings.emplace_back(
        "no backoffLimit: a replica that crashes is restarted for ever; --backoff-limit=6 limits "
        "the restarts");
  }
  if (std::string fault = elastic_fault(kind, manifest); !fault.empty()) {
    warnings.push_back(std::move(fault));
  }
  std::string exposed = plain_credentials_warning(replicas, object_at(manifest, k_runtime_program));
  if (!exposed.empty()) warnings.push_back(std::move(exposed));
  return warnings;
}

std::string footprint(const Kind& kind, const Json& manifest, std::string_view one_role) {
  if (runs_by_runtime(kind)) return runtime_footprint(kind, manifest);
  std::vector<std::string> roles;
  std::int64_t pods = 0;
  std::int64_t gpus = 0;
  for (const Replica& replica : replicas_of(kind, manifest)) {
    if (replica.role == nullptr) continue;
    const int count = replica_count(kind, manifest, *replica.role);
    if (count <= 0) continue;
    pods += count;
    roles.push_back(cat(replica.role->prefix, ' ', count));
    for (const Json& container : array_at(*replica.spec, "/template/spec/containers")) {
      gpus += count * gpus_of(container);
    }
  }
  if (!one_role.empty()) roles = {cat(one_role, ' ', pods)};
  std::string text = cat(plural(pods, "pod"), " (", join(roles, " + "), "), ");
  text += gpus == 0 ? "no GPUs" : plural(gpus, "GPU");
  const bool is_elastic = find(manifest, "/spec/elasticPolicy") != nullptr;
  if (!kind.world_variable.empty() && !is_elastic) {
    text += cat(", ", kind.world_variable, ' ', world_size(kind, manifest));
  }
  return text;
}

}  // namespace trainctl::job
