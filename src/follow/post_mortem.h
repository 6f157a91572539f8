// Keeps the digest's facts about replicas, whose pods may be gone by then: their last state, their
// last lines, and the replica that the verdict blames.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/value/json.h"
#include "follow/verdict_policy.h"
#include "kube/client/client.h"
#include "logs/last_lines.h"
#include "logs/log_sink.h"
#include "logs/log_tail.h"
#include "manifest/kind/kind.h"
#include "status/state.h"

namespace trainctl::job {

// The end of a log: the last lines of the judged run, or of an earlier run when the judged one was
// not read.
struct LastOfLog {
  std::vector<std::string> lines = {};
  bool of_earlier_run = false;
};

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
  // whose digest has told its restarts, or null. `steps` says how far a stopped replica was; empty
  // = nobody knows.
  std::vector<std::string> summary(const Kind& kind, const Json& job, const JobState& final_state,
                                   const ReplicaState* digested = nullptr,
                                   const StepsOfRun& steps = {}) const;

 private:
  void record(const ReplicaState* before, const ReplicaState& now);
  void add_untold_failures(const Kind& kind, const Json& job, const JobState& final_state,
                           std::vector<std::string>& sentences) const;

  std::map<ReplicaId, ReplicaState> seen_;
};

class PostMortem : public LogSink {
 public:
  // `on_read`: the culprit's last lines have come, or cannot be had.
  PostMortem(kube::Client& client, const Kind& kind, std::string ns, StepsOfRun steps,
             std::function<void()> on_read);

  void read_from(kube::Client& client) { client_ = &client; }

  // Records a change of the job's state; also called after the verdict.
  void record(const JobState& before, const JobState& now) { history_.record(before, now); }
  void begin_run(const LogOrigin& origin) { last_lines_.begin(origin.replica, origin.run); }
  void add_line(const LogOrigin& origin, std::string_view text) {
    last_lines_.add(origin.replica, origin.run, text);
  }

  // The verdict blames this replica, as it stands now.
  void blame(const ReplicaState& culprit) { culprit_ = culprit; }
  const std::optional<ReplicaState>& culprit() const { return culprit_; }

  // Fetches the culprit's last lines while its pod may exist, since nobody else reads the end of
  // its log. `pods` are the job's. Sends no request when the lines have come already, by the log or
  // in the pod's status.
  void fetch_last_lines(std::span<const Json> pods, bool insecure_backend);
  // Part of the culprit's log was not read, so its last lines are fetched.
  void fetch_end_of_cut(std::span<const Json> pods, bool insecure_backend);
  // True until those lines have come or are not waited for any more; they may still come then.
  bool is_awaited() const { return awaited_; }
  void stop_waiting() { awaited_ = false; }
  void stop_fetching() { tail_.reset(); }

  // Returns the last lines of the culprit's failed run: from its log, else from the termination
  // message in its container's status; without either, those of an earlier run.
  LastOfLog last_of_log() const;
  // The log of the culprit's failed run was read.
  bool has_read_log() const;
  // The digest of a failure, or nothing when nobody is to blame or the culprit never started.
  // `seen`: the user has the last lines of its log in front of them, and they are not repeated.
  std::vector<std::string> digest(bool seen) const;
  JobState with_failures(JobState state) const { return history_.with_failures(std::move(state)); }
  // Returns further sentences to print when the job is over. `digested`: digest() has been printed.
  std::vector<std::string> summary(const Json& job, const JobState& state, bool digested) const;

 private:
  // The log that is read for the culprit's last lines.
  void on_open(const LogOrigin& origin) override { fetched_.begin(origin.replica, origin.run); }
  void on_line(const LogOrigin& origin, const kube::LogLine& line) override {
    fetched_.add(origin.replica, origin.run, line.text);
  }
  void on_notice(const std::string&) override {}
  void on_gap(const std::string&) override {}
  void on_done(const LogOrigin&, const Status&) override;

  RunId failed_run() const;
  // Returns the last lines of the failed run, from the source that has more of them; nullopt when
  // its log was not read.
  std::optional<std::vector<std::string>> read_lines() const;

  kube::Client* client_;
  const Kind& kind_;
  std::string ns_;
  StepsOfRun steps_;
  std::function<void()> on_read_;
  ReplicaHistory history_;
  LastLines last_lines_;  // of the logs that are followed
  LastLines fetched_;
  std::optional<ReplicaState> culprit_;
  std::optional<LogTail> tail_;
  bool awaited_ = false;
  bool cut_short_ = false;  // the reading of logs
};

}  // namespace trainctl::job
