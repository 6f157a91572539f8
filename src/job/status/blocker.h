// Finds what keeps a job from starting and will not pass by waiting a little. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/value/json.h"
#include "job/status/evidence.h"
#include "job/status/state.h"

namespace trainctl::job {

// Returns what went wrong in creating the job's pods and services, as its last Warning says.
std::optional<Blocker> creation_blocker(const Evidence& evidence);

// The first replica by rank that does not start, if waiting alone will not help.
std::optional<Blocker> find_blocker(const std::vector<ReplicaState>& replicas);

}  // namespace trainctl::job
