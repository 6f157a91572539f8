// Resolves the user's choice of logs to replicas. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "job/follow/log_choice.h"
#include "job/kind/kind.h"
#include "job/kind/replica.h"
#include "job/status/state.h"

namespace trainctl::job {

struct Selected {
  std::vector<ReplicaId> replicas;
  std::string notice;  // printed on stderr when the choice may surprise
};

// Code::not_found for a replica or role the job does not have.
Result<Selected> select_replicas(const Kind& kind, const Json& job, const JobState& state,
                                 const LogSelection& selection);

}  // namespace trainctl::job
