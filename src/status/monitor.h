// A job, its pods and its events, kept current by watches, and judged at every change.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/loop/loop.h"
#include "base/value/json.h"
#include "kube/client/client.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/replica.h"
#include "net/http.h"
#include "status/ownership.h"
#include "status/state.h"
#include "status/watched_set.h"

namespace trainctl::job {

// Takes what the watches on a job and its pods report.
class JobSink {
 public:
  virtual ~JobSink() = default;

  // After every change, once job and pods are known. `before`: the state until now.
  virtual void on_change(const JobState& before) = 0;
  // Each state of each of the job's pods, in order; Monitor::pods() has only the last of several
  // changes between two calls of on_change.
  virtual void on_pod(const Json& pod) = 0;
  // One of the job's pods is gone. `last`: its last state, or no more than its name and uid when
  // nobody watched meanwhile.
  virtual void on_pod_gone(const Json& last) = 0;
  // A pod was created while nothing was watched. Others of its name may have come and gone before
  // it.
  virtual void on_pod_found_late(const std::string& uid) = 0;
  // The changes that follow happened while nothing was watched, and may be outdated.
  virtual void on_pods_resumed() = 0;
  // The job was deleted, was replaced by a namesake, or never existed. Called once.
  virtual void on_gone() = 0;
  // As on_trouble of kube::WatchHandlers, for the watch on the job.
  virtual void on_outage(const std::string& notice) = 0;
  // The watch on the job cannot continue.
  virtual void on_stop(Error error) = 0;
  // The same two for the watch on its pods, which may be in another cluster.
  virtual void on_pods_outage(const std::string& notice) = 0;
  virtual void on_pods_stop(Error error) = 0;
};

// The pods of a job, kept current by a watch that may begin before the job itself is known.
class PodWatch {
 public:
  // `list_lane`: Lane::stream opens the connection for their logs early, which saves its handshakes
  // once the pods are known.
  PodWatch(kube::Client& client, const std::string& ns, std::string selector,
           net::Lane list_lane = net::Lane::control);

  // From here on changes are reported, never before this returns. `on_change` follows each.
  void report_to(JobSink& sink, std::function<void()> on_change);
  // From here on only those of this job count; before, all that the selector finds.
  void keep_of(const PodOwner& owner);

  // Has the first list been read in full?
  bool listed() const { return listed_; }
  // That list is still awaited, and the cluster does not give it.
  bool is_refused() const { return !listed_ && refused_; }
  // The fields that a judgement needs of each pod (status/projection.h), in the order of
  // their uids.
  std::span<const Json> all() const { return pods_; }
  bool has(const std::string& uid) const;
  // The last states of removed pods: the latest few of each replica.
  std::span<const Json> gone() const { return gone_; }

 private:
  void keep(const Json& object);
  void forget(const std::string& uid);
  void remember_gone(const std::string& uid);
  std::vector<Json>::const_iterator place(const std::string& uid) const;
  void stop(Error error);

  kube::Client& client_;
  JobSink* sink_ = nullptr;  // null: nobody asks yet
  std::function<void()> on_change_ = [] {};
  std::optional<PodOwner> owner_;
  std::vector<Json> pods_, gone_;
  bool listed_ = false;
  bool refused_ = false;          // by the last attempt to read or watch them
  bool history_lost_ = false;     // until the next list is in
  std::optional<Error> stopped_;  // why, while there was nobody to report to
  HandlePtr watch_, later_;
};

// The job to watch, and the facts already known about it.
struct KnownJob {
  std::string ns, name, uid;
  Json object = {};  // as last read, so that logs need not wait until it is read again
  std::unique_ptr<PodWatch> pods = {};  // whose watch has begun
};

// The pods of a job that MultiKueue runs on a worker cluster.
struct WorkerPods {
  kube::Client* client = nullptr;
  Json job = {};  // the copy of the job there, which owns them
};

class Monitor {
 public:
  // `all_events`: the normal ones of pods as well, not only the warnings that a judgement needs.
  Monitor(kube::Client& client, const Kind& kind, KnownJob job, bool all_events, JobSink& sink);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // From here on the job's pods are those of the worker cluster, and the events are those there;
  // the job itself is watched where it was. Call it at top level.
  void find_pods_at(const WorkerPods& worker, bool all_events);
  // False again once Kueue has taken the job back from its worker cluster.
  bool is_at_worker() const { return worker_.stays; }
  bool has_had_worker() const { return !worker_.job.is_null(); }
  kube::Client& pods_client() const { return *pods_client_; }
  // The pods have been listed where they are.
  bool knows_pods() const;

  const Json& job() const { return job_; }  // its last known state; may be null
  // The same with the identity that it has in the cluster of its pods.
  const Json& owner() const { return has_had_worker() ? worker_.job : job_; }
  const JobState& state() const { return state_; }
  std::span<const Json> pods() const { return pods_->all(); }  // owned by the job
  // Returns the events about the job and its pods, removed pods included, in the order of time.
  std::vector<Json> events() const;
  // The events that existed at the start have been read, or this user may not read them.
  bool events_listed() const { return events_->listed(); }
  // The monitor has read the job itself. Until then it judges what it was given.
  bool up_to_date() const { return known_ == Known::listed; }

 private:
  enum class Known { as_given, read, listed };
  struct AtWorker {
    Json job = {};  // null: it never had a worker cluster
    bool stays = false;
  };
  struct Pending {
    HandlePtr judgement, question;
  };

  HandlePtr watch_job(kube::Client& client, const std::string& ns, const std::string& name);
  void take_job(const Json& object);
  void on_job_change();
  void on_job_gone();
  void identify_at_worker(const Json& copy);
  void keep_own_pods();
  void watch_events(const std::string& ns, const std::string& name, bool all_events);
  Evidence evidence() const;
  void judge_soon();
  void judge_now();
  bool ask_for_stranger(const JobState& now);
  void take_stranger(const std::string& name, const std::variant<Json, kube::Failure>& answer);

  kube::Client* pods_client_;
  const Kind& kind_;
  JobSink& sink_;
  Json job_;
  std::string uid_;  // of the job
  Known known_ = Known::as_given;
  bool gone_ = false;
  HandlePtr job_watch_;
  std::unique_ptr<PodWatch> pods_;
  std::optional<WatchedSet> events_;
  AtWorker worker_;
  JobState state_;
  bool judged_ = false;
  // The objects that were found under names of pods that are not among the job's.
  std::map<std::string, std::vector<Json>> strangers_;
  Pending pending_;
};

}  // namespace trainctl::job
