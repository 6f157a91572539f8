// Sums up the pods, GPUs and processes that a job will take of the cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// Summarises what a job will take: "2 pods (master 1 + worker 1), 2 GPUs, WORLD_SIZE 2"; with
// `one_role`, which then stands for all roles, "2 pods (node 2), …".
std::string footprint(const Kind& kind, const Json& manifest, std::string_view one_role = "");

// How many GPUs the job requests while all its replicas run; nullopt where a runtime decides it.
std::optional<std::int64_t> gpu_count(const Kind& kind, const Json& manifest);

// The value of a variable in the training container of the replica with rank 0, as the operator
// sets it; "" = none.
std::string leaders_variable(const Kind& kind, const Json& manifest, std::string_view name);

}  // namespace trainctl::job
