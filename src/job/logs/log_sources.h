// Which logs are being read: one tail after another for each container run of the wanted replicas.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "job/kind/kind.h"
#include "job/kind/replica.h"
#include "job/logs/log_printer.h"
#include "job/logs/retry_notices.h"
#include "job/logs/tail.h"
#include "job/status/run_times.h"
#include "kube/client.h"

namespace trainctl::job {

struct LogSourceHandlers {
  std::function<void(const LogOrigin&, const kube::LogLine&)> on_line;
  std::function<void(const std::string& notice)> on_notice;
  std::function<void(Error)> on_error;  // a log that cannot be had; others go on
  std::function<void()> on_idle;        // a tail has ended and none is left
};

class LogSources {
 public:
  // `container` "" = each pod's own choice (log_container.h).
  LogSources(kube::Client& client, const Kind& kind, std::string ns, std::string container,
             TailOptions options, LogSourceHandlers handlers);

  // Only these replicas' logs are read; may grow.
  void want(const ReplicaId& replica, std::optional<int> rank, bool printed);
  bool wants(const ReplicaId& replica) const;

  // The pods as they now are: starts tails for runs not seen before, ends those of runs that ended.
  void update(std::span<const Json> pods);

  // A pod that update() will not be told of any more, in its last state; that has no more than name
  // and uid when nobody saw it go.
  void pod_gone(const Json& last);

  // The pod with this uid was made while nobody could watch: another may have come and gone before
  // it, with its log.
  void pod_found_late(const std::string& uid) { found_late_.insert(uid); }

  // What happened to the pods while nobody could watch is told from here on: a state may be over
  // when it is told, and the log another's.
  void pods_resumed() { old_until_ = client_.loop().now() + k_catch_up; }

  // The job is over and some of these pods may be deleted any moment: a container may have started,
  // and printed, before the kubelet has told of it. Reads what there is without waiting for that.
  void read_unseen(std::span<const Json> pods);

  // Nobody waits for ends any more: what there is now is read, then idle() holds.
  void let_go();

  // Nothing is read any more until this is called with false: nobody takes the lines.
  void hold(bool back);

  // True when every run begun so far has been read to its end.
  bool idle() const;

 private:
  // In which the server has told what has changed meanwhile.
  static constexpr Duration k_catch_up = std::chrono::seconds(2);

  struct Run {
    std::string container_id;
    bool previous = false;  // a newer run has already begun
    bool unseen = false;    // no status has told of it: its container_id is not known
    int restarts = 0;       // of the container before it
  };
  struct Source {
    ReplicaId replica;
    std::string pod, pod_uid;
    std::string container;  // "" = the pod does not have the one asked for
    int restarts = 0;
    int next_restarts = 0;        // those of the first run that is not known yet
    int attempts_before = 0;      // of the replica, with earlier pods
    std::set<std::string> known;  // container ids of runs begun or queued
    std::vector<Run> queue;
    RunTimes times;
    std::string current;   // container id of the run the status shows; "" between runs
    std::string before;    // and of the one before it
    bool running = false;  // and whether it is still going on
    Time known_at{};       // when a status told this; long ago where that is not known
    bool may_restart = false;
    std::unique_ptr<Tail> tail;
    bool reading = false;     // tail is at work
    std::string reading_run;  // its container id; "" = a run no status has told of yet
  };

  void look(const Json& pod);
  void tell_of_unseen(const Json& pod, const std::string& pod_before);
  void choose_container(const Json& pod, Source& source);
  void update_source(const Json& pod, Source& source, bool here_before);
  void note_runs(const Json& status, Source& source);
  void adopt(Source& source);
  void add_run(Source& source, std::string container_id, bool previous, int restarts);
  void start_next(Source& source);
  static std::optional<ToldAhead> told_ahead(const Source& source, const Run& run);
  int next_attempt(Source& source, const Run& run);
  void leave_unread(const Source& source);
  void tell_if_ended(Source& source);
  void on_tail_done(Source& source, const Status& status);

  kube::Client& client_;
  const Kind& kind_;
  std::string ns_, container_;
  TailOptions options_;
  LogSourceHandlers handlers_;
  Time old_until_{};  // statuses may be old
  struct Wanted {
    std::optional<int> rank;
    bool printed = true;
    int attempts = 0;             // number of the latest one read
    std::string newest_pod = {};  // its uid; "" = none was there yet
  };
  std::map<ReplicaId, Wanted> wanted_;
  std::map<std::string, Source> sources_;  // by pod uid
  std::set<std::string> found_late_;       // uids of pods, until they are looked at
  std::set<std::string> said_;             // notices about the choice of containers
  RetryNotices troubles_;
  bool looked_ = false;  // what comes from now on was not there before us
  bool let_go_ = false;
  bool held_back_ = false;
  HandlePtr next_timer_;
};

}  // namespace trainctl::job
