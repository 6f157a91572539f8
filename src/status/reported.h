// Reads a job's status, whichever way its controller writes it. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "status/state.h"

namespace trainctl::job {

// The controller has written a status.
bool has_reacted(const Kind& kind, const Json& job);
// True if no pod of the job is known to have run: reports about a removed pod may still count.
bool may_never_have_run(const Kind& kind, const Json& job);
bool has_ended(const Kind& kind, const Json& job);
// It is known which roles the job has.
bool has_known_roles(const Kind& kind, const Json& job);

// Returns how many of a role's pods the training operator last counted as failed, whether or not
// they still exist; 0 where the controller counts no pods.
int count_failed_pods(const Kind& kind, const Json& job, const Role& role);

// Since when the job runs, as far as is known; nullopt = it does not.
struct Running {
  std::optional<Time> since;
};
std::optional<Running> read_running(const Kind& kind, const Json& job,
                                    const std::vector<ReplicaState>& replicas);

}  // namespace trainctl::job
