// Recognises a program that fails at once, and in the same way each time it is started.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "job/status/state.h"

namespace trainctl::job {

// Remembers how first runs ended, since a pod's status has no more than the last one.
class RepeatedFailure {
 public:
  // Takes a replica's present state. True when its first two runs failed within seconds, with the
  // same exit status and the same last line, as a SyntaxError does, or both without a line, and
  // while later runs of the same pod fail too.
  bool take(const ReplicaState& replica);

 private:
  struct FirstRun {
    std::string pod_uid;
    std::optional<int> exit_code;
    std::string last_line;
    bool repeated = false;  // by the second run
  };
  std::map<ReplicaId, FirstRun> first_runs_;
};

}  // namespace trainctl::job
