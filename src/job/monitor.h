// A job, its pods and its events, kept current by watches, and judged at every change.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/kind.h"
#include "job/state.h"
#include "kube/client.h"
#include "kube/watch.h"

namespace trainctl::job {

struct MonitorHandlers {
  // After every change, once the first lists are in.
  std::function<void()> on_change;
  // One of the job's pods is gone. `last`: its last state, or no more than its name and uid when
  // nobody watched meanwhile.
  std::function<void(const Json& last)> on_pod_gone;
  // The job object is gone (deleted, or replaced by a namesake).
  std::function<void()> on_gone;
  std::function<void(const std::string& notice)> on_trouble;
  std::function<void(Error)> on_stop;
};

class Monitor {
 public:
  // `uid` "" takes the job of that name as it stands; otherwise only the object with this uid.
  // `all_events`: the normal ones of pods as well, not only the warnings that a judgement needs.
  Monitor(kube::Client& client, const Kind& kind, std::string ns, std::string name, std::string uid,
          bool all_events, MonitorHandlers handlers);
  ~Monitor();

  const Json& job() const { return job_; }  // its last known state
  const JobState& state() const { return state_; }
  std::span<const Json> pods() const { return pods_; }  // owned by the job
  std::vector<Json> events() const;                     // of the job and its pods, in time order

 private:
  void watch_job();
  void watch_pods();
  void keep_pod(const Json& object);
  void forget_pod(const std::string& uid);
  std::vector<Json>::const_iterator pod_place(const std::string& uid) const;
  bool has_pod(const std::string& uid) const;
  HandlePtr watch_events(std::string field_selector);
  void on_job(const Json& object);
  void on_job_gone(const Json& object);
  void report_gone();
  void judge_soon();
  void judge_now();

  kube::Client& client_;
  const Kind& kind_;
  std::string ns_, name_, uid_;
  MonitorHandlers handlers_;
  Json job_;
  std::vector<Json> pods_;              // in the order of their uids
  std::map<std::string, Json> events_;  // by uid
  JobState state_;
  bool job_listed_ = false;
  bool pods_listed_ = false;
  bool judged_ = false;
  bool gone_ = false;
  HandlePtr judge_timer_;
  HandlePtr job_watch_, pod_watch_, job_event_watch_, pod_event_watch_;
};

}  // namespace trainctl::job
