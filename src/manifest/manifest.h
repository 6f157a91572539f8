// Finds the parts of a job's manifest: replicas, their pods and training containers.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// Like find in base/value/json.h, for a manifest that is being changed.
Json* find_in(Json& value, std::string_view pointer);

// One entry of the replica map; `role` is null when the kind knows no such role.
struct Replica {
  std::string key;
  const Role* role = nullptr;
  const Json* spec = nullptr;
  std::string pointer;  // "/spec/pytorchReplicaSpecs/Worker"
};
// The replicas in the order of the manifest.
std::vector<Replica> replicas_of(const Kind& kind, const Json& manifest);
// The replica's restart policy, or the default of its role.
std::string restart_policy_of(const Replica& replica);

inline constexpr std::string_view k_pod_metadata = "/template/metadata";
inline constexpr std::string_view k_pod_spec = "/template/spec";

// The name of the container that the operator looks for; the first one's when it accepts any and
// none has that name.
std::string training_container(const Kind& kind, const Json& replica_spec);
// Returns the container of that name; null when there is none.
const Json* find_container(const Json& replica_spec, std::string_view name);

// Calls `change` with each replica's training container, and with that replica.
void for_each_training_container(
    const Kind& kind, Json& manifest,
    const std::function<void(const Replica& replica, Json& container)>& change);
// True when an element of the list, such as a container's variables, has this name.
bool has_named(const auto& list, std::string_view name) {
  return std::ranges::any_of(
      list, [name](const Json& element) { return text_at(element, "/name") == name; });
}

// True for the resource name of an accelerator: nvidia.com/gpu, amd.com/gpu, nvidia.com/mig-1g.5gb,
// …
bool is_gpu(std::string_view resource);
// The number of GPUs that a container requests, of all kinds together.
std::int64_t gpus_of(const Json& container);

// The processes of one replica, when the manifest gives a number, else 1.
std::int64_t processes_per_pod(const Kind& kind, const Json& manifest);
// Replicas times processes, the world size that the operator passes to each replica.
std::int64_t world_size(const Kind& kind, const Json& manifest);

// The label of a job that names its queue (Kueue, pkg/controller/constants/constants.go).
inline constexpr std::string_view k_label_queue = "kueue.x-k8s.io/queue-name";
// The LocalQueue that a job's label names; "" = none.
std::string queue_of(const Json& job);

}  // namespace trainctl::job
