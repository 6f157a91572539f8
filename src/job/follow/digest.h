// The digest of a failed or finished job on stderr: who failed, its last lines, who was stopped.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/status/state.h"

namespace trainctl::job {

// The end of a log: the last lines of the judged run, or of an earlier run when the judged one was
// not read.
struct LastOfLog {
  std::vector<std::string> lines = {};
  bool of_earlier_run = false;
};

// "worker-0 exited 137 (SIGKILL, OOMKilled); its last lines:" and the lines, indented.
std::vector<std::string> failure_digest(const ReplicaState& replica, const LastOfLog& log);

// "ddp: Succeeded after 12m": from when the operator took the job up until it was done, however
// little of that was watched; without "after" where the job does not say.
std::string success_sentence(const Json& job, const JobState& state);

// Remembers the last state, alive or finished, of replicas whose pods are gone or going, for the
// final summary.
class ReplicaHistory {
 public:
  // Takes each change of the job's state.
  void record(const JobState& before, const JobState& now);
  // The replica as last seen with a pod; nullptr when it never had one.
  const ReplicaState* last_seen(const ReplicaState& now) const;
  // The state of a job that succeeded. A replica that failed before clean-up removed its pod still
  // counts as failed in it.
  JobState with_failures(JobState final_state) const;
  // One sentence per replica that did not end by itself: "worker-0 was stopped by clean-up
  // (cleanPodPolicy Running)", or "was stopped when the job ended" where the kind has no such
  // policy; one per replica that was restarted; one per replica whose failure the verdict ignores;
  // and one per role of which only the job's status counts such failures. `digested`: the replica
  // whose digest has told its restarts, or null.
  std::vector<std::string> summary(const Kind& kind, const Json& job, const JobState& final_state,
                                   const ReplicaState* digested = nullptr) const;

 private:
  void record(const ReplicaState* before, const ReplicaState& now);
  void add_untold_failures(const Kind& kind, const Json& job, const JobState& final_state,
                           std::vector<std::string>& sentences) const;

  std::map<ReplicaId, ReplicaState> seen_;
};

}  // namespace trainctl::job
