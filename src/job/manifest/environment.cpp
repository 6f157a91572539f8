// Sets for workers without a master what training-operator's pytorch/envvar.go sets with one.
#include "job/manifest/environment.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/container_variable.h"
#include "job/manifest/manifest.h"
#include "job/operator/operated_kind.h"

namespace trainctl::job {

namespace {

std::int64_t rendezvous_port(const Kind& kind, const Json& worker) {
  const OperatedKind& row = *find_operated_kind(kind);
  const Json* container = find_container(worker, kind.container);
  if (container == nullptr) return row.port;
  for (const Json& port : array_at(*container, "/ports")) {
    if (text_at(port, "/name") == row.port_name) {
      return int_at(port, "/containerPort").value_or(row.port);
    }
  }
  return row.port;
}

// The order matters: a reference sees only the variables before it.
std::vector<Json> rendezvous(const Kind& kind, const Json& manifest, const Json& worker) {
  const std::string address = cat("$(", k_job_variable, ")-worker-0");
  const std::string port = std::to_string(rendezvous_port(kind, worker));
  return {from_label(k_job_variable, k_label_job_name),
          literal("MASTER_ADDR", address),
          literal("MASTER_PORT", port),
          literal("PET_MASTER_ADDR", address),
          literal("PET_MASTER_PORT", port),
          literal("WORLD_SIZE", std::to_string(world_size(kind, manifest))),
          from_label("RANK", k_label_index),
          from_label("PET_NODE_RANK", k_label_index)};
}

void add_missing(Json& container, const std::vector<Json>& variables) {
  Json& present = container["env"];
  if (!present.is_array()) present = Json::array();
  for (const Json& variable : variables) {
    const bool is_set = std::ranges::any_of(present, [&](const Json& one) {
      return text_at(one, "/name") == text_at(variable, "/name");
    });
    if (!is_set) present.push_back(variable);
  }
}

}  // namespace

void add_rendezvous_environment(const Kind& kind, Json& manifest) {
  if (kind.leader != Leader::rendezvous || find(manifest, "/spec/elasticPolicy") != nullptr) return;
  const auto replicas = replicas_of(kind, manifest);
  for (const Replica& replica : replicas) {
    if (replica.role == nullptr || replica.role->leads()) return;
  }
  for (const Replica& replica : replicas) {
    Json* containers = find_in(manifest, replica.pointer + "/template/spec/containers");
    if (containers == nullptr || !containers->is_array()) continue;
    const auto variables = rendezvous(kind, manifest, *replica.spec);
    for (Json& container : *containers) {
      if (container.is_object()) add_missing(container, variables);
    }
  }
}

}  // namespace trainctl::job
