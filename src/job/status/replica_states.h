// The state of each replica of a job. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "job/kind/kind.h"
#include "job/status/state.h"

namespace trainctl::job {

// By the uid of what they are about, each in the order of time.
using EventsByUid = std::map<std::string, std::vector<Json>>;
EventsByUid events_by_uid(std::span<const Json> events);

// All that the job asks for, in rank order; those without a pod are Missing, with the exit code
// that an event of the job tells. Pods of namesakes are left out.
std::vector<ReplicaState> read_replicas(const Kind& kind, const Json& job,
                                        std::span<const Json> pods,
                                        const std::vector<Json>& job_events);

// Which failed first in time, as an index.
std::optional<std::size_t> find_first_failed(const std::vector<ReplicaState>& replicas);

}  // namespace trainctl::job
