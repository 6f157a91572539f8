// The init containers of a replica that waits for them, and of all replicas together. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "status/state.h"

namespace trainctl::job {

// Fills the present run, and the last exit, of a replica that waits for an init container, or whose
// init container has failed. False when it waits for none. A failed one is a start failure: the
// kubelet starts it again and again, unless the pod has restartPolicy Never.
bool read_init(const Json& pod, ReplicaState& replica);

// The container that the message of such a failure names; "" for any other message.
std::string_view failed_init_container(std::string_view message);

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
