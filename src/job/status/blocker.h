// Finds what keeps a job from starting and will not pass by waiting a little. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/value/json.h"
#include "job/status/evidence.h"
#include "job/status/state.h"

namespace trainctl::job {

// What the last Warning about the job says went wrong in creating its pods and services.
std::optional<Blocker> creation_blocker(const Evidence& evidence);

// The first replica by rank that does not start, if waiting alone will not help.
std::optional<Blocker> find_blocker(const std::vector<ReplicaState>& replicas);

}  // namespace trainctl::job
