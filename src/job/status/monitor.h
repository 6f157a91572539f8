// A job, its pods and its events, kept current by watches, and judged at every change.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "job/kind/kind.h"
#include "job/status/evidence.h"
#include "job/status/job_pods.h"
#include "job/status/state.h"
#include "job/status/watched_job.h"
#include "job/status/watched_set.h"
#include "kube/client/client.h"

namespace trainctl::job {

// The job to watch, and the facts already known about it.
struct KnownJob {
  std::string ns, name;
  std::string uid = {};  // "" = the job that has the name now
  Json object = {};      // as last read, so that logs need not wait until it is read again
  std::unique_ptr<JobPods> pods = {};  // whose watch has begun
};

struct MonitorHandlers {
  // After every change, once job and pods are known. `before`: the state until now.
  std::function<void(const JobState& before)> on_change;
  // Receives each state of each of the job's pods, in order; pods() has only the last of several
  // changes between two calls of on_change.
  std::function<void(const Json& pod)> on_pod;
  // One of the job's pods is gone. `last`: its last state, or no more than its name and uid when
  // nobody watched meanwhile.
  std::function<void(const Json& last)> on_pod_gone;
  // A pod was created while nothing was watched. Others of its name may have come and gone before
  // it.
  std::function<void(const std::string& uid)> on_pod_found_late;
  // The changes that follow happened while nothing was watched, and may be outdated.
  std::function<void()> on_pods_resumed;
  // The job object is gone (deleted, or replaced by a namesake).
  std::function<void()> on_gone;
  std::function<void(const std::string& notice)> on_trouble;
  std::function<void(Error)> on_stop;
};

class Monitor {
 public:
  // `all_events`: the normal ones of pods as well, not only the warnings that a judgement needs.
  Monitor(kube::Client& client, const Kind& kind, KnownJob job, bool all_events,
          MonitorHandlers handlers);

  const Json& job() const { return job_.object(); }  // its last known state
  const JobState& state() const { return state_; }
  std::span<const Json> pods() const { return pods_->all(); }  // owned by the job
  // Returns the events about the job and its pods, removed pods included, in the order of time.
  std::vector<Json> events() const;
  // The events that existed at the start have been read, or this user may not read them.
  bool events_listed() const { return events_.listed(); }
  // The monitor has read the job itself. Until then it judges what it was given.
  bool up_to_date() const { return job_.listed(); }

 private:
  WatchedJobHandlers job_handlers();
  void watch_pods();
  void keep_own_pods();
  void on_job_gone();
  Evidence evidence() const;
  void judge_soon();
  void judge_now();
  bool ask_for_stranger(const JobState& now);
  void take_stranger(const std::variant<Json, kube::Failure>& answer);

  kube::Client& client_;
  const Kind& kind_;
  MonitorHandlers handlers_;
  WatchedJob job_;
  std::unique_ptr<JobPods> pods_;
  WatchedSet events_;
  JobState state_;
  bool judged_ = false;
  std::set<std::string> asked_;  // names of pods that are not among the job's
  std::vector<Json> strangers_;  // what was found under them
  HandlePtr judge_timer_, question_;
};

}  // namespace trainctl::job
