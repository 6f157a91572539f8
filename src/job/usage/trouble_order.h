// Orders jobs and replicas so that failing and lagging ones come first. Pure.
#pragma once

#include <utility>

#include "job/status/state.h"
#include "job/usage/usage.h"

namespace trainctl::job {

// Smaller ranks come first: what cannot start, what restarts, what runs (ordered by the share that
// it uses), then what is suspended or has ended. A replica that failed comes first: its job goes
// on.
using TroubleRank = std::pair<int, double>;
TroubleRank trouble_rank(const JobState& state, const Load& load);
TroubleRank trouble_rank(const ReplicaState& replica, const Load& load);

}  // namespace trainctl::job
