// The state of each replica of a job. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/value/json.h"
#include "job/status/ownership.h"
#include "job/status/state.h"

namespace trainctl::job {

// All that the job asks for, in rank order; those without a pod are Missing, with what their last
// pod and the events say of them.
std::vector<ReplicaState> read_replicas(const Evidence& evidence);

// Returns the index of the replica that failed first, within the role that the job's condition
// blames, if it blames one. `failed`: that condition, or null.
std::optional<std::size_t> find_first_failed(const std::vector<ReplicaState>& replicas,
                                             const Json* failed);

// For a job that has ended: marks replicas as failed that still wait for a restart, since clean-up
// comes first.
void fail_crashed(std::vector<ReplicaState>& replicas);

}  // namespace trainctl::job
