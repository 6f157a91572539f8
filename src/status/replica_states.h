// The state of each replica of a job. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/value/json.h"
#include "status/ownership.h"
#include "status/state.h"

namespace trainctl::job {

// All that the job asks for, in rank order; those without a pod are Missing, with what their last
// pod and the events say of them.
std::vector<ReplicaState> read_replicas(const Evidence& evidence);

// Returns the index of the replica that failed first: whose container ended first, where its pod
// says so, else within the role that the job's condition blames. `failed`: that condition, or null.
std::optional<std::size_t> find_first_failed(const std::vector<ReplicaState>& replicas,
                                             const Json* failed);

// Returns the replicas of a failed job that ended by an error within a minute after the one that
// failed first, in rank order: their connections to it broke, or they were stopped.
std::vector<const ReplicaState*> failed_after(const JobState& state);

// For a job that has ended: marks replicas as failed that still wait for a restart, since clean-up
// comes first.
void fail_crashed(std::vector<ReplicaState>& replicas);

}  // namespace trainctl::job
