// The state machine behind follow_job: watches, reads logs, decides.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "job/follow/digest.h"
#include "job/follow/follow.h"
#include "job/follow/selection.h"
#include "job/follow/status_line.h"
#include "job/logs/last_lines.h"
#include "job/logs/log_files.h"
#include "job/logs/log_printer.h"
#include "job/logs/log_sources.h"
#include "job/status/debounce.h"
#include "job/status/monitor.h"

namespace trainctl::job {

inline constexpr Duration k_first_heartbeat = std::chrono::seconds(30);
// For lines and statuses already on their way.
inline constexpr Duration k_settle = std::chrono::seconds(2);

class Follower {
 public:
  Follower(kube::Client& client, Console& console, const Kind& kind, KnownJob job,
           FollowOptions options);

  FollowResult run();

 private:
  void on_change(const JobState& before);
  void on_gone();
  void lose_output(Error error);
  void time_out();
  // A timeout of zero, or one that is over, asks how the job stands: that takes one look, however
  // long it takes.
  bool asks_once() const { return options_.timeout && *options_.timeout <= options_.waited; }
  void first_look();
  void select();
  void announce();
  void announce_restarts();
  void watch_sidecar();
  void announce_events();
  void on_line(const LogOrigin& origin, const kube::LogLine& line);
  void on_progress(const LogOrigin& origin, std::string_view state);
  void watch_start();
  void on_start_timeout();
  void decide();
  bool waits_for_culprit();
  void judge_running();
  void watch_dead_replica();
  std::optional<Status> verdict_of_replica();
  Error failure() const;
  Error could_not_start(const ReplicaState& replica) const;
  Error crash_loop(const ReplicaState& replica) const;
  Error dead_replica(const ReplicaState& replica) const;

  // The verdict is in; the logs still under way get `grace` to end.
  void settle(Status verdict, Duration grace);
  void read_the_rest();
  void blame(const ReplicaState& replica);
  void finish();
  // By a signal, whatever is still under way.
  void stop(Error error);
  void drain();
  void hold_back(const Error& why);
  Duration run_time() const;
  void sum_up(const std::vector<std::string>& last_lines);
  std::vector<std::string> last_lines() const;
  Status with_log_hint(Status verdict) const;
  std::string sign_of_life() const;
  // After a silence of that length, of which so much is over.
  void heartbeat(Duration after, Duration silent = {});
  std::string status_text() const;

  kube::Client& client_;
  Console& console_;
  const Kind& kind_;
  std::string ns_, name_;
  FollowOptions options_;
  Time started_;

  std::optional<Status> verdict_;
  bool finished_ = false;
  bool looked_ = false;                  // the first state has been seen
  bool suspended_before_ = false;        // it was already when we came
  bool no_culprit_ = false;              // no pod tells why the job failed
  bool reading_failed_ = false;          // the digest's lines are still being fetched
  std::optional<ReplicaState> culprit_;  // whom the verdict blames, as it stood then
  std::optional<ReplicaId> only_;        // JOB/REPLICA: its end ends us, too
  std::set<std::string> announced_;
  std::string trouble_;
  std::string progress_;              // what a replica writes over and over
  std::optional<Blocker> stuck_;      // what the start timer runs for
  Debounce kept_;                     // a pod that a sidecar keeps
  Debounce dead_;                     // a pod that --fail-fast has seen dead
  Time last_line_;                    // or when following began
  std::optional<Error> output_lost_;  // after the verdict
  LastLines last_lines_;
  ReplicaHistory history_;

  LogPrinter printer_;
  LogFiles files_;
  LogSources sources_;
  std::optional<LogTail> failed_tail_;
  std::optional<StatusLine> status_line_;  // while the loop runs
  HandlePtr timeout_timer_, start_timer_, culprit_timer_, grace_timer_;
  HandlePtr heartbeat_timer_, hold_timer_;
  HandlePtr interrupt_, terminate_;
  Monitor monitor_;  // last: its callbacks use all of the above
};

}  // namespace trainctl::job
