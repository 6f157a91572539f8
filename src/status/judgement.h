// Derives a job's phase, and the reason for it, from the job, its pods and its events. Pure.
#pragma once

#include <span>
#include <string>

#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "status/state.h"

namespace trainctl::job {

struct Evidence;  // status/ownership.h
JobState judge(const Evidence& evidence);

// `pods` may hold pods of namesakes; only those owned by the job's uid count. `events` are the
// job's and its pods'; those of others do not count. `gone`: pods that were seen and are there no
// more, in their last states.
JobState judge(const Kind& kind, const Json& job, std::span<const Json> pods,
               std::span<const Json> events, std::span<const Json> gone = {});

// Names the replicas that failed although their job succeeded: "worker-0 exited 1", "worker-0
// exited 1 and 2 more failed"; "" = there are none.
std::string failures_beside_success(std::span<const ReplicaState> replicas);

}  // namespace trainctl::job
