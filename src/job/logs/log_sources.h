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
#include "job/logs/container_runs.h"
#include "job/logs/log_printer.h"
#include "job/logs/log_tail.h"
#include "job/logs/retry_notices.h"
#include "kube/client.h"

namespace trainctl::job {

struct LogSourceHandlers {
  std::function<void(const LogOrigin&, const kube::LogLine&)> on_line;
  // What a container writes over and over, until it ends as a line.
  std::function<void(const LogOrigin&, std::string_view state)> on_progress;
  std::function<void(const std::string& notice)> on_notice;
  std::function<void(Error)> on_error;  // a log that cannot be had; others go on
  std::function<void()> on_idle;        // a tail has ended and none is left
};

class LogSources {
 public:
  // `container` "" = each pod's own choice (log_container.h).
  LogSources(kube::Client& client, const Kind& kind, std::string ns, std::string container,
             LogOptions options, LogSourceHandlers handlers);

  // Only these replicas' logs are read; may grow.
  void want(const ReplicaId& replica, std::optional<int> rank, bool printed);
  bool wants(const ReplicaId& replica) const;

  // The pods as they now are: starts tails for runs not seen before, ends those of runs that ended.
  void update(std::span<const Json> pods);

  // A pod that update() will not show any more, in its last state; that has no more than name and
  // uid when nobody saw it go.
  void pod_gone(const Json& last);

  // The pod with this uid was made while nobody could watch: another may have come and gone before
  // it, with its log.
  void pod_found_late(const std::string& uid) { blind_.late_pods.insert(uid); }

  // What happened to the pods while nobody could watch is reported from here on: a state may be
  // over when it is reported, and the log another's.
  void pods_resumed() { blind_.old_until = client_.loop().now() + k_catch_up; }

  // The job is over and some of these pods may be deleted any moment: a container may have started,
  // and printed, before the kubelet has reported it. Reads what there is without waiting for that.
  void read_unseen(std::span<const Json> pods);

  // Nobody waits for ends any more: what there is now is read, then idle() holds.
  void let_go();

  // Nothing is read any more until this is called with false: nobody takes the lines.
  void hold(bool back);

  // True when every run begun so far has been read to its end.
  bool idle() const;

 private:
  // In which the server has reported what has changed meanwhile.
  static constexpr Duration k_catch_up = std::chrono::seconds(2);

  struct Source {
    ReplicaId replica;
    std::string pod, pod_uid;
    std::string container;  // "" = the pod does not have the one asked for
    ContainerRuns runs;
    int attempts_before = 0;  // of the replica, with earlier pods
    std::unique_ptr<LogTail> tail;
    bool reading = false;  // tail is at work
  };
  struct Wanted {
    std::optional<int> rank;
    bool printed = true;
    int attempts = 0;             // number of the latest one read
    std::string newest_pod = {};  // its uid; "" = none was there yet
  };
  // What the watch of the pods could not see.
  struct Blindness {
    bool first_look = true;           // what is there now may be older than our interest in it
    Time old_until{};                 // statuses may be old
    std::set<std::string> late_pods;  // uids, until they are looked at
  };

  void look(const Json& pod);
  void report_unseen(const Json& pod, const std::string& pod_before);
  void choose_container(const Json& pod, Source& source);
  void update_source(const Json& pod, Source& source, bool here_before);
  void start_next(Source& source);
  TailTask task(const Source& source, const ContainerRuns::Run& run) const;
  TailHandlers tail_handlers(Source& source, const ContainerRuns::Run& run);
  int next_attempt(Source& source, const ContainerRuns::Run& run);
  void leave_unread(const Source& source);
  static void end_tail(Source& source);
  void on_tail_done(Source& source, const Status& status);

  kube::Client& client_;
  const Kind& kind_;
  std::string ns_, container_;
  LogOptions options_;
  LogSourceHandlers handlers_;
  std::map<ReplicaId, Wanted> wanted_;
  std::map<std::string, Source> sources_;  // by pod uid
  Blindness blind_;
  std::set<std::string> said_;  // notices about the choice of containers
  RetryNotices troubles_;
  bool rights_known_ = false;  // a log was read
  bool let_go_ = false;
  bool held_back_ = false;
  HandlePtr next_timer_;
};

}  // namespace trainctl::job
