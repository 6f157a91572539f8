// The places in a job's manifest: replicas, their pods and training containers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

// As base's find, for a manifest that is being changed.
Json* find_in(Json& value, std::string_view pointer);

// One entry of the replica map; `role` is null when the kind knows no such role.
struct Replica {
  std::string key;
  const Role* role = nullptr;
  const Json* spec = nullptr;
  std::string pointer;  // "/spec/pytorchReplicaSpecs/Worker"
};
// In the order of the manifest.
std::vector<Replica> replicas_of(const Kind& kind, const Json& manifest);

inline constexpr std::string_view k_pod_metadata = "/template/metadata";
inline constexpr std::string_view k_pod_spec = "/template/spec";

// Name of the container the operator looks for; the first one's, where it takes any and none is
// called so.
std::string training_container(const Kind& kind, const Json& replica_spec);
// That container; null when there is none.
const Json* find_container(const Json& replica_spec, std::string_view name);

// What an accelerator is asked for as: nvidia.com/gpu, amd.com/gpu, nvidia.com/mig-1g.5gb, …
bool is_gpu(std::string_view resource);
// GPUs a container asks for, of all kinds together.
std::int64_t gpus_of(const Json& container);

// Processes of one replica when the manifest gives a number, else 1.
std::int64_t processes_per_pod(const Kind& kind, const Json& manifest);
// Replicas times processes: what the operator tells each replica as the world's size.
std::int64_t world_size(const Kind& kind, const Json& manifest);

}  // namespace trainctl::job
