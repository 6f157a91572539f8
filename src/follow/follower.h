// Ties following together: the monitor's changes go to the log sources, the reporter and the
// policy, and the policy's verdict ends it once the last lines are read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/loop/ending_signals.h"
#include "base/loop/loop.h"
#include "follow/follow.h"
#include "follow/follow_shutdown.h"
#include "follow/gpu_watch.h"
#include "follow/log_ends.h"
#include "follow/post_mortem.h"
#include "follow/progress_reporter.h"
#include "follow/stall_watch.h"
#include "follow/verdict_policy.h"
#include "logs/log_session.h"
#include "logs/log_sources.h"
#include "status/monitor.h"
#include "status/state.h"

namespace trainctl::job {

// Implements --start-timeout: how long a job that cannot start is waited for.
class StartTimeout {
 public:
  // `timeout` nullopt waits for ever. `on_expired` gets what was waited for; nullptr when nothing
  // is known to be wrong, but no operator takes the job up.
  StartTimeout(Loop& loop, std::optional<Duration> timeout,
               std::function<void(const Blocker*)> on_expired);

  // Takes each change of the job's state.
  void see(const JobState& state);
  // The job has its verdict: how it starts does not matter any more.
  void stop() { timer_.reset(); }

 private:
  void expire();

  Loop& loop_;
  std::optional<Duration> timeout_;
  std::function<void(const Blocker*)> on_expired_;
  std::optional<Blocker> blocker_;  // what the timer runs for
  HandlePtr timer_;
};

// A job that its queue has not admitted has no worker cluster of MultiKueue, and none after its
// end.
bool may_have_worker(const Kind& kind, const Json& job);

class Follower : public JobSink, public LogSink, public OutputWatcher {
 public:
  // `is_shown_elsewhere`: its line at the bottom of a terminal stands among those of other jobs.
  Follower(kube::Client& client, Console& console, const Kind& kind, KnownJob job,
           FollowOptions options, bool is_shown_elsewhere);

  // Starts following. Then run the loop until is_done(), and call finish().
  void start();
  // The verdict is in, and no further line is awaited.
  bool is_done() const { return shutdown_ && shutdown_->is_done(); }
  // See ProgressReporter.
  std::optional<LiveJob> live(int width, const LiveColumns& columns) const {
    return reporter_.live(width, columns);
  }
  // The job may run on a worker cluster of MultiKueue that is not known yet.
  bool lacks_worker() const;
  // Looks for that cluster. Runs the loop.
  void seek_worker() { take_worker(options_.find_worker(Json(monitor_.job()))); }
  // Follows the job's pods from here on where find_worker has found them.
  void take_worker(const std::optional<WorkerPods>& found);
  // Runs the loop until all printed lines are written.
  FollowResult finish();

 private:
  struct GivenUp {
    Ends end;
    Time since;
  };
  struct Pending {
    HandlePtr deadline, culprit, signals, look, last_news;
    Json inside;                       // the report of the last look inside
    std::optional<GivenUp> given_up;   // once the look inside has ended
    std::optional<Error> output_lost;  // while it is not known whether the job has ended
  };

  // Facts for the lines below the log that no followed line tells.
  struct Asked {
    GpuWatch gpus;
    LagWatch lag;
  };

  // The reasons for giving up a job that has not ended.
  struct Patience {
    Debounce hopeless;  // the replica for which the policy gives the job up
    StartTimeout start;
    StallWatch silence;
  };

  // True when the deadline was over at the start: then the job is looked at once, and not waited
  // for.
  bool takes_one_look() const {
    return options_.deadline && options_.deadline->is_over(reporter_.started());
  }
  Time now() const { return client_.loop().now(); }
  void start_timers();

  void on_change(const JobState& before) override;
  void on_pod(const Json& pod) override { sources_.note(pod); }
  void on_pod_gone(const Json& last) override { sources_.pod_gone(last); }
  void on_pod_found_late(const std::string& uid) override { sources_.pod_found_late(uid); }
  void on_pods_resumed() override { sources_.pods_resumed(); }
  void on_gone() override;
  void on_outage(const std::string& notice) override;
  void on_stop(Error error) override { end_now(std::move(error)); }
  void on_pods_outage(const std::string& notice) override;
  void on_pods_stop(Error error) override;

  void on_deadline();
  void on_stall();
  void probe_processes();
  // Gives the job up for its silence, `words`, unless its processes compute.
  void remove_unless_it_works(const std::string& words);
  // Ends following at its deadline, after a last look inside if the report is to have one.
  void give_up(Error why);
  void on_signal(const EndingSignal& signal);

  void on_open(const LogOrigin& origin) override { post_mortem_.begin_run(origin); }
  void on_line(const LogOrigin& origin, const kube::LogLine& line) override;
  void on_progress(const LogOrigin& origin, std::string_view states) override;
  void on_notice(const std::string& notice) override { console_.notice(notice); }
  void on_hint(const std::string& hint) override {
    console_.notice("hint: " + options_.runnable(hint));
  }
  void on_gap(const std::string& gap) override { console_.warn(gap); }
  void on_done(const LogOrigin& origin, const Status& status) override;
  void on_idle() override { look_at_shutdown(); }

  void on_output_lost(Error error) override;
  void on_unsaved(Error error) override;
  void on_hold(bool hold) override;

  bool may_print() const;
  // Says how long the job has been silent already.
  std::string silence(Duration silent) const;
  // The same with what to type, for the status line; "" = the job is not silent.
  std::string stall_advice() const;
  bool selects_now(const JobState& before) const;
  void select_logs();
  const Json* leader_pod() const;
  std::vector<const ReplicaState*> replicas_to_compare() const;
  void report();
  void judge();
  void give_up_hopeless();
  void await_culprit();
  void end(Ends end);
  // Ends at once, with nothing more to be read.
  void end_now(Status verdict);
  void end_unread(Error output_lost);
  void look_at_shutdown();
  void keep_last_lines();
  void sum_up();
  bool shows_culprit() const;
  Status final_verdict() const;
  MetricRecord metrics(const LastOfLog& log) const;
  bool leaves_lines() const;  // of a job that is over
  // As far as the lines that were read say.
  StepsOfRun steps_of_run() const {
    return [this](const ReplicaId& replica, int attempt) {
      return reporter_.metrics().step_of(replica, attempt);
    };
  }

  kube::Client& client_;
  Console& console_;
  const Kind& kind_;
  kube::RemovalTarget job_;
  FollowOptions options_;
  VerdictPolicy policy_;
  ProgressReporter reporter_;
  Patience patience_;
  PostMortem post_mortem_;
  LogSession session_;
  LogSources sources_;
  Pending pending_;
  Asked asked_;
  Monitor monitor_;                         // reports to all of the above
  std::optional<FollowShutdown> shutdown_;  // from the verdict on
};

}  // namespace trainctl::job
