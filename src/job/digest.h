// What a failed or finished job leaves on stderr: who failed, its last lines, who was stopped.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/state.h"

namespace trainctl::job {

// "worker-0 exited 3 (OOMKilled); its last lines:" and the lines, indented.
std::vector<std::string> failure_digest(const ReplicaState& replica,
                                        std::span<const std::string> last_lines);

// Every replica's end by name as it was last seen alive or finished, for the final summary.
class ReplicaHistory {
 public:
  void record(const JobState& state);
  // The replica as last seen with a pod; nullptr when it never had one.
  const ReplicaState* last_seen(const std::string& replica) const;
  // One sentence per replica that did not end by itself: "worker-0 was stopped by clean-up
  // (cleanPodPolicy Running)", and per replica that was restarted.
  std::vector<std::string> summary(const JobState& final_state,
                                   std::string_view clean_pod_policy) const;

 private:
  std::map<std::string, ReplicaState> seen_;
};

}  // namespace trainctl::job
