// Says which logs of a job are gone with their pods, and which are incomplete. Pure.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "status/state.h"

namespace trainctl::job {

// The latest of the cluster's events about the replica, below a heading; empty without events.
std::vector<std::string> what_events_keep(const Kind& kind, const Json& job,
                                          std::span<const Json> events,
                                          const ReplicaState& replica);

// Says which pods and logs of an ended job were gone before it was followed, and what events keep
// about them. `without_pod`: the replicas of which nothing was read; `culprit`: the one that the
// verdict blames; the verdict itself says that its pod is gone.
std::vector<std::string> gone_logs(const Kind& kind, const Json& job, std::span<const Json> events,
                                   std::span<const ReplicaState> replicas,
                                   const std::vector<ReplicaId>& without_pod,
                                   const std::optional<ReplicaState>& culprit);

// Says that the saved files of these replicas lack later output; "" when there are none.
// `is_lost`: nothing can be read later, since the job was deleted.
std::string unfinished_logs(const std::set<ReplicaId>& replicas, bool is_lost);

}  // namespace trainctl::job
