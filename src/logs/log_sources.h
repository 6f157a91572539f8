// Reads the logs of the wanted replicas, with one LogTail after another for each container's runs:
// all runs as they come, or those that are asked for.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/loop/loop.h"
#include "kube/client/client.h"
#include "logs/container_runs.h"
#include "logs/log_sink.h"
#include "logs/log_tail.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/replica.h"

namespace trainctl::job {

// Reports what currently keeps logs from being read: once, not at each attempt, nor for each
// replica.
class RetryNotices {
 public:
  RetryNotices(Loop& loop, LogSink& sink) : loop_(loop), sink_(sink) {}

  // The log of this pod cannot be read, and is retried after `wait`. The first pod with a problem
  // is reported at once; further pods with the same problem are counted and reported a moment
  // later. The hint is reported when the second attempt fails with the same problem.
  void add(const std::string& pod, const Error& why, Duration wait);
  // The log can be read again, or need not be: the same problem counts as a new one from here on.
  void remove(const std::string& pod);
  // Reports a hint, each one once.
  void report_hint(const std::string& hint);

 private:
  void report_others(const std::string& message);

  struct Trouble {
    std::set<std::string> pods;        // pods that have it now
    std::set<std::string> unreported;  // pods that have or had it, not reported yet
    HandlePtr timer;                   // until those are reported
  };

  Loop& loop_;
  LogSink& sink_;
  std::map<std::string, Trouble> troubles_;  // by error message
  std::set<std::string> hints_;
};

class LogSources : public LogSink {
 public:
  // `container` "" means each pod's default (container_runs.h).
  LogSources(kube::Client& client, const Kind& kind, std::string ns, std::string container,
             LogOptions options, LogSink& sink);

  // Logs that are opened from now on are read of that cluster.
  void read_from(kube::Client& client) { client_ = &client; }

  // Adds a replica whose log is to be read; others are not read.
  void want(const ReplicaId& replica, std::optional<int> rank, bool printed);
  bool wants(const ReplicaId& replica) const;
  // No other replica's lines are printed between this one's.
  bool prints_only(const ReplicaId& replica) const;
  // Returns the printed replicas that never had a pod while the job was watched.
  std::vector<ReplicaId> without_pod() const;
  // True when some replica, printed or only saved, has had no pod so far.
  bool lacks_pods() const;
  // True when the newest pod of some replica has had no run so far, and none is being read without
  // a status.
  bool lacks_runs() const;
  bool wants_none() const { return wanted_.empty(); }

  // Takes in the current pods: starts tails for new runs, and informs tails whose run has ended.
  void update(std::span<const Json> pods);

  // Takes in a state that a pod went through between two calls of update(): a run that only this
  // state names can still be read. Ignores a pod that update() has not shown yet.
  void note(const Json& pod);

  // A pod was deleted; `last` is its last state, or just its name and uid when its deletion was not
  // observed.
  void pod_gone(const Json& last);

  // The pod with this uid was created while the watch was interrupted: another one, with its log,
  // may have existed before it unnoticed.
  void pod_found_late(const std::string& uid) { blind_.late_pods.insert(uid); }

  // The watch resumes, and reports from here on what happened while it was interrupted: a reported
  // state may be outdated, and a log may belong to another run.
  void pods_resumed() { blind_.old_until = client_->loop().now() + k_catch_up; }

  // The job is over and some of these pods may be deleted at any moment, while a container may have
  // started and printed before the kubelet reported it. Reads their logs without waiting for a
  // status.
  void read_unseen(std::span<const Json> pods);

  // Pods as they are now, while the watch may still show an earlier state of them.
  void read_current(std::span<const Json> pods);

  // Reads pods that were gone before they could be watched, and whose logs the cluster keeps.
  void read_kept(std::span<const Json> pods);

  // Reads one run of a wanted replica's pod as it is now: the latest, or the one before it. For
  // options without `follow`, in place of update() and the calls about changes.
  void read_now(const ReplicaId& replica, const Json& pod, bool previous);

  // Stops waiting for containers to end: reads what exists now, after which idle() is true.
  void let_go();

  // Replicas whose container still ran when the reading of its log ended, or ends now.
  std::set<ReplicaId> unfinished() const;

  // Suspends all reading (true) while the printer has no room, and resumes it (false).
  void hold(bool back);

  // True when every known run has been read to its end.
  bool idle() const;

 private:
  // Time within which a resumed watch has delivered the changes missed before.
  static constexpr Duration k_catch_up = std::chrono::seconds(2);

  struct Source {
    ReplicaId replica;
    std::string pod, pod_uid;
    std::string container;  // "" = the pod lacks the requested container
    ContainerRuns runs;
    int attempts_before = 0;  // attempts of the replica in earlier pods
    std::unique_ptr<LogTail> tail;
    bool reading = false;       // tail is active
    bool left_running = false;  // when let_go() was called
    bool gone = false;          // the pod is, but its log can still be requested
  };
  struct Wanted {
    std::optional<int> rank;
    bool printed = true;
    int attempts = 0;             // number of the latest attempt read
    std::string newest_pod = {};  // uid of its newest pod; "" = none so far
  };
  // Times and pods for which the watch may have missed something.
  struct WatchGap {
    bool first_look = true;           // existing pods may be older than the interest in them
    Time began{};                     // when that interest began
    Time old_until{};                 // until then, statuses may be outdated
    std::set<std::string> late_pods;  // uids of late-found pods not examined yet
  };

  Source& source_of(const Json& pod, const ReplicaId& replica);
  void look(const Json& pod);
  void report_unseen(const Json& pod, const std::string& pod_before);
  void choose_container(const Json& pod, Source& source);
  bool note_status(const Json& pod, Source& source, bool here_before);
  void update_source(const Json& pod, Source& source, bool here_before);
  void start_next(Source& source);
  void start(Source& source, const ContainerRuns::Run& run);
  TailTask task(Source& source, const ContainerRuns::Run& run);
  int next_attempt(Source& source, const ContainerRuns::Run& run);
  void leave_unread(const Source& source);
  void read_gone(Source& source);
  static void end_tail(Source& source);
  void let_go(Source& source);

  void on_open(const LogOrigin& origin) override;
  void on_line(const LogOrigin& origin, const kube::LogLine& line) override {
    sink_.on_line(origin, line);
  }
  void on_progress(const LogOrigin& origin, std::string_view states) override {
    sink_.on_progress(origin, states);
  }
  void on_notice(const std::string& notice) override { sink_.on_notice(notice); }
  void on_hint(const std::string& hint) override { sink_.on_hint(hint); }
  void on_gap(const std::string& gap) override { sink_.on_gap(gap); }
  void on_trouble(const LogOrigin& origin, const Error& why, Duration wait) override;
  void on_done(const LogOrigin& origin, const Status& status) override;

  kube::Client* client_;
  const Kind& kind_;
  std::string ns_, container_;
  LogOptions options_;
  LogSink& sink_;
  std::map<ReplicaId, Wanted> wanted_;
  std::map<std::string, Source> sources_;  // by pod uid
  WatchGap blind_;
  std::set<std::string> said_;  // notices already printed about the choice of containers
  RetryNotices troubles_;
  bool rights_known_ = false;  // some log has been read
  bool let_go_ = false;
  bool held_back_ = false;
  HandlePtr next_timer_;
};

}  // namespace trainctl::job
