// Reads a job's manifest, whatever its kind.
#include "manifest/manifest.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "kube/object/metadata.h"
#include "manifest/flags/values.h"

namespace trainctl::job {

namespace {

// Parts of the resource names of the vendors' device plugins.
constexpr std::array<std::string_view, 5> k_accelerators = {"gpu", "nvidia.com/mig-", "gaudi",
                                                            "neuron", "google.com/tpu"};

// More than any node has, and small enough that no sum of sums overflows.
constexpr std::int64_t k_most_devices = 1'000'000;

std::int64_t whole_amount(const Json& amount) {
  const std::string text = amount.is_string() ? amount.get<std::string>() : dump(amount);
  if (!checked_quantity(text)) return 0;
  return std::min(quantity_milli(text) / 1000, k_most_devices);
}

}  // namespace

Json* find_in(Json& value, std::string_view pointer) {
  return const_cast<Json*>(find(value, pointer));  // the value itself is not const
}

std::vector<Replica> replicas_of(const Kind& kind, const Json& manifest) {
  std::vector<Replica> replicas;
  if (kind.replica_specs.empty()) return replicas;
  for (const auto& [key, spec] : object_at(manifest, kind.replica_specs).items()) {
    const Role* role = find_role(kind, key);
    if (role != nullptr && role->name != key) role = nullptr;
    replicas.push_back({key, role, &spec, cat(kind.replica_specs, '/', pointer_step(key))});
  }
  return replicas;
}

std::string restart_policy_of(const Replica& replica) {
  const Role& role = replica.role == nullptr ? Role{} : *replica.role;
  const std::string policy = text_at(*replica.spec, "/restartPolicy");
  return policy.empty() ? std::string(role.restart_policy) : policy;
}

std::string training_container(const Kind& kind, const Json& replica_spec) {
  const Json& containers = array_at(replica_spec, "/template/spec/containers");
  const bool named = find_container(replica_spec, kind.container) != nullptr;
  if (kind.container_required || named || containers.empty()) return std::string(kind.container);
  return text_at(containers.front(), "/name");
}

const Json* find_container(const Json& replica_spec, std::string_view name) {
  for (const Json& container : array_at(replica_spec, "/template/spec/containers")) {
    if (text_at(container, "/name") == name) return &container;
  }
  return nullptr;
}

void for_each_training_container(
    const Kind& kind, Json& manifest,
    const std::function<void(const Replica& replica, Json& container)>& change) {
  for (const Replica& replica : replicas_of(kind, manifest)) {
    const std::string name = training_container(kind, *replica.spec);
    Json* containers = find_in(manifest, cat(replica.pointer, k_pod_spec, "/containers"));
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : *containers) {
      if (container.is_object() && text_at(container, "/name") == name) change(replica, container);
    }
  }
}

bool is_gpu(std::string_view resource) {
  return std::ranges::any_of(k_accelerators, [&](std::string_view word) {
    return resource.find(word) != std::string_view::npos;
  });
}

std::int64_t gpus_of(const Json& container) {
  // A resource in only one of the two lists counts for both, because the API server copies limits
  // to requests.
  Json amounts = object_at(container, "/resources/requests");
  amounts.update(object_at(container, "/resources/limits"));
  std::int64_t gpus = 0;
  for (const auto& [resource, amount] : amounts.items()) {
    if (is_gpu(resource)) gpus += whole_amount(amount);
  }
  return gpus;
}

std::int64_t processes_per_pod(const Kind& kind, const Json& manifest) {
  if (kind.processes_per_pod.empty()) return 1;
  const auto checked = check_processes(text_at(manifest, kind.processes_per_pod));
  if (!checked) return 1;
  return parse_number<std::int64_t>(checked->get_ref<const std::string&>()).value_or(1);
}

std::int64_t world_size(const Kind& kind, const Json& manifest) {
  std::int64_t replicas = 0;
  for (const Role& role : kind.roles) {
    if (role.ranked()) replicas += replica_count(kind, manifest, role);
  }
  return replicas * processes_per_pod(kind, manifest);
}

std::string queue_of(const Json& job) {
  return text_at(job, kube::label_pointer(k_label_queue));
}

}  // namespace trainctl::job
