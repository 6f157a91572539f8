// Orders jobs and replicas so that failing and lagging ones come first. Pure.
#pragma once

#include <utility>

#include "job/status/state.h"
#include "job/usage/usage.h"

namespace trainctl::job {

// Smaller ranks come first: what failed, what cannot start, what restarts, what runs (ordered by
// the share that it uses), then what has ended or is suspended.
using TroubleRank = std::pair<int, double>;
TroubleRank trouble_rank(const JobState& state, const Load& load);
TroubleRank trouble_rank(const ReplicaState& replica, const Load& load);

}  // namespace trainctl::job
