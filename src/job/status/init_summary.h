// Sums up the outcome of a job's init containers over all replicas. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/status/state.h"

namespace trainctl::job {

// The replica in which an init container has failed, first by rank.
struct InitFailure {
  std::string replica;  // "worker-0"
  std::string pod;
  int exit_code = 0;
  std::string words;  // its termination message, with its line ends
};

// An init container of one name, in all replicas that have it.
struct InitSummary {
  std::string name;
  std::string source;  // what --download or --git-sync fetches, without the query of a URL
  std::string place;   // where to
  int restarts = 0;    // in all replicas together
  int done = 0;        // replicas in which it has succeeded
  int running = 0;
  int failed = 0;
  std::optional<InitFailure> failure;
};

// The job's own init containers in the order in which they run, and those that the operator adds if
// they fail or are started again. `state` says which of the pods are the job's.
std::vector<InitSummary> init_summaries(const Kind& kind, const Json& job, const JobState& state,
                                        std::span<const Json> pods);

}  // namespace trainctl::job
