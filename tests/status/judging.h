// Derives a job's state from the part of its pods that a follower keeps, for tests.
#pragma once

#include <string>
#include <vector>

#include "status/judgement.h"
#include "status/projection.h"
#include "status/state.h"
#include "support/objects.h"

namespace trainctl::testing {

inline job::JobState judge_job(const Json& job, std::vector<Json> pods = {},
                               std::vector<Json> events = {}) {
  for (Json& pod : pods) pod = job::state_projection(pod);
  return job::judge(*job::find_kind("pytorch"), job, pods, events);
}

inline const std::string k_created = condition("Created", "True");
inline const std::string k_running = condition("Running", "True");

}  // namespace trainctl::testing
