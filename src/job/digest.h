// What a failed or finished job leaves on stderr: who failed, its last lines, who was stopped.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/state.h"

namespace trainctl::job {

// The last lines of each replica, kept from the live stream: the operator may delete the pods.
class LastLines {
 public:
  void add(const ReplicaId& replica, std::string_view text);
  bool has(const ReplicaId& replica) const;
  // At most k_digest_lines; each shortened to a screen's worth.
  std::vector<std::string> of(const ReplicaId& replica) const;

 private:
  // A ring, once it is full: then a line costs no allocation.
  struct Kept {
    std::vector<std::string> lines;
    std::size_t oldest = 0;
  };
  std::map<ReplicaId, Kept> kept_;
};

inline constexpr long k_digest_lines = 20;

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
