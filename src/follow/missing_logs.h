// Messages about a replica whose log, or one run's log, is empty or gone with its pod. Pure.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value/json.h"
#include "logs/log_options.h"
#include "manifest/kind/kind.h"
#include "status/state.h"

namespace trainctl::job {

// "worker-1 of job ddp exited 1; its pod is gone, and its log with it", with what keeps logs.
Error log_is_gone(const Json& job, const ReplicaState& replica);

// There is no run before the present one, or no log of it. `restarts`: of its container.
Error no_run_before(const Json& job, const ReplicaState& replica, int restarts);

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
std::string unfinished_logs(const std::set<ReplicaId>& replicas);

// The last lines of the replica's last run from its termination message, for a log that is gone;
// only lines that the options include.
std::vector<std::string> last_words(const ReplicaState& replica, const LogOptions& asked);

// Says why existing logs print nothing.
std::string no_lines(const LogOptions& asked);

}  // namespace trainctl::job
