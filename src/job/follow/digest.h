// What a failed or finished job leaves on stderr: who failed, its last lines, who was stopped.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/status/state.h"

namespace trainctl::job {

// "worker-0 exited 137 (SIGKILL, OOMKilled); its last lines:" and the lines, indented.
std::vector<std::string> failure_digest(const ReplicaState& replica,
                                        std::span<const std::string> last_lines);

// How replicas were last seen alive or finished whose pods are gone or going, for the final
// summary.
class ReplicaHistory {
 public:
  // Each change of the job's state.
  void record(const JobState& before, const JobState& now);
  // The replica as last seen with a pod; nullptr when it never had one.
  const ReplicaState* last_seen(const ReplicaState& now) const;
  // One sentence per replica that did not end by itself: "worker-0 was stopped by clean-up
  // (cleanPodPolicy Running)", per replica that was restarted, and per replica whose failure the
  // verdict leaves out of account.
  std::vector<std::string> summary(const JobState& final_state,
                                   std::string_view clean_pod_policy) const;

 private:
  void record(const ReplicaState* before, const ReplicaState& now);

  std::map<ReplicaId, ReplicaState> seen_;
};

}  // namespace trainctl::job
