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

// Everything that may say how a job stands; what belongs to other jobs is left out.
struct Evidence {
  const Kind& kind;
  const Json& job;
  std::span<const Json> pods;
  std::span<const Json> gone;  // pods that are there no more, in their last states
  std::map<std::string, std::vector<Json>> events;  // by subject (JobEvents), in the order of time

  std::span<const Json> events_about(const std::string& subject) const;
};
Evidence sort_evidence(const Kind& kind, const Json& job, std::span<const Json> pods,
                       std::span<const Json> gone, std::span<const Json> events);

// All that the job asks for, in rank order; those without a pod are Missing, with what their last
// pod and the events say of them.
std::vector<ReplicaState> read_replicas(const Evidence& evidence);

// Which failed first in time, as an index: of the role that the job's condition blames, if it
// blames one. `failed`: that condition, or null.
std::optional<std::size_t> find_first_failed(const std::vector<ReplicaState>& replicas,
                                             const Json* failed);

}  // namespace trainctl::job
