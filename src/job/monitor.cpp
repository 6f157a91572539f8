// Watches on the job, its pods and its events, joined into one judged state.
#include "job/monitor.h"

#include <algorithm>

#include "base/text.h"
#include "job/pod_state.h"

namespace trainctl::job {

Monitor::Monitor(kube::Client& client, const Kind& kind, std::string ns, std::string name,
                 std::string uid, bool all_events, MonitorHandlers handlers)
    : client_(client),
      kind_(kind),
      ns_(std::move(ns)),
      name_(std::move(name)),
      uid_(std::move(uid)),
      handlers_(std::move(handlers)) {
  watch_job();
  watch_pods();
  // Events only explain: a user who may not read them still gets the verdict.
  job_event_watch_ = watch_events(
      cat("involvedObject.kind=", kind_.resource.kind, ",involvedObject.name=", name_));
  pod_event_watch_ =
      watch_events(cat("involvedObject.kind=Pod", all_events ? "" : ",type=Warning"));
}

Monitor::~Monitor() = default;

void Monitor::watch_job() {
  kube::WatchHandlers handlers;
  handlers.on_change = [this](const Json& object) { on_job(object); };
  handlers.on_gone = [this](const Json& object) { on_job_gone(object); };
  handlers.on_listed = [this] {
    if (job_.is_null()) {
      report_gone();
      return;
    }
    job_listed_ = true;
    judge_soon();
  };
  handlers.on_trouble = [this](const std::string& notice) { handlers_.on_trouble(notice); };
  handlers.on_stop = [this](Error error) { handlers_.on_stop(std::move(error)); };
  kube::WatchTarget target{kind_.resource, ns_, {"", "metadata.name=" + name_}};
  job_watch_ = start_watch(client_, std::move(target), std::move(handlers));
}

void Monitor::watch_pods() {
  kube::WatchHandlers handlers;
  handlers.on_change = [this](const Json& object) {
    pods_[text_at(object, "/metadata/uid")] = object;
    judge_soon();
  };
  handlers.on_gone = [this](const Json& object) {
    pods_.erase(text_at(object, "/metadata/uid"));
    judge_soon();
  };
  handlers.on_listed = [this] {
    pods_listed_ = true;
    judge_soon();
  };
  // The job's own watch already reports the same outage.
  handlers.on_trouble = [](const std::string&) {};
  handlers.on_stop = [this](Error error) { handlers_.on_stop(std::move(error)); };
  kube::WatchTarget target{kube::k_pods, ns_, {pod_selector(kind_, name_), ""}};
  pod_watch_ = start_watch(client_, std::move(target), std::move(handlers));
}

HandlePtr Monitor::watch_events(std::string field_selector) {
  kube::WatchHandlers handlers;
  handlers.on_change = [this](const Json& object) {
    events_[text_at(object, "/metadata/uid")] = object;
    judge_soon();
  };
  handlers.on_gone = [this](const Json& object) {
    events_.erase(text_at(object, "/metadata/uid"));
  };
  handlers.on_listed = [] {};
  handlers.on_trouble = [](const std::string&) {};
  handlers.on_stop = [](Error) {};
  kube::WatchTarget target{kube::k_events, ns_, {"", std::move(field_selector)}};
  return start_watch(client_, std::move(target), std::move(handlers));
}

void Monitor::on_job(const Json& object) {
  const std::string uid = text_at(object, "/metadata/uid");
  if (uid_.empty()) uid_ = uid;
  if (uid != uid_) {
    if (!job_.is_null()) report_gone();
    return;
  }
  job_ = object;
  judge_soon();
}

void Monitor::on_job_gone(const Json& object) {
  if (text_at(object, "/metadata/uid") != uid_) return;
  job_ = object;
  // Its last state may be its end: a job whose time to live is 0 is gone with it.
  if (job_listed_ && pods_listed_) judge_now();
  report_gone();
}

void Monitor::report_gone() {
  if (gone_) return;
  gone_ = true;
  handlers_.on_gone();
}

// One judgement per turn of the loop, however many objects changed in it.
void Monitor::judge_soon() {
  if (!job_listed_ || !pods_listed_ || judge_timer_ != nullptr) return;
  judge_timer_ = client_.loop().after({}, [this] { judge_now(); });
}

void Monitor::judge_now() {
  const HandlePtr done = std::move(judge_timer_);  // holds the very callable that runs
  state_ = judge(kind_, job_, pods(), events());
  handlers_.on_change();
}

std::vector<Json> Monitor::pods() const {
  std::vector<Json> own;
  for (const auto& [uid, pod] : pods_) {
    if (owned_by(pod, uid_)) own.push_back(pod);
  }
  return own;
}

std::vector<Json> Monitor::events() const {
  std::vector<Json> own;
  for (const auto& [uid, event] : events_) {
    const std::string about = text_at(event, "/involvedObject/uid");
    if (about == uid_ || pods_.contains(about)) own.push_back(event);
  }
  std::stable_sort(own.begin(), own.end(), [](const Json& a, const Json& b) {
    return event_time(a).value_or(Time{}) < event_time(b).value_or(Time{});
  });
  return own;
}

}  // namespace trainctl::job
