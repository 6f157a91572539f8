// Watches on the job, its pods and its events, joined into one judged state.
#include "job/monitor.h"

#include <algorithm>

#include "base/text.h"
#include "job/pod_part.h"
#include "job/pod_state.h"

namespace trainctl::job {

namespace {

constexpr std::size_t k_pods_per_millisecond = 10;  // a thousand are judged ten times a second

}  // namespace

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
    keep_pod(object);
    judge_soon();
  };
  handlers.on_gone = [this](const Json& object) {
    const std::string uid = text_at(object, "/metadata/uid");
    if (has_pod(uid)) handlers_.on_pod_gone(object);
    forget_pod(uid);
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
  if (uid_.empty()) {
    uid_ = uid;
    std::erase_if(pods_, [this](const Json& pod) { return !owned_by(pod, uid_); });
  }
  if (uid != uid_) {
    if (!job_.is_null()) report_gone();
    return;
  }
  job_ = object;
  judge_soon();
}

void Monitor::on_job_gone(const Json& object) {
  if (text_at(object, "/metadata/uid") != uid_) return;
  if (find(object, "/spec") != nullptr) job_ = object;
  // Its last state may be its end: a job whose time to live is 0 is gone with it.
  if (job_listed_ && pods_listed_) judge_now();
  report_gone();
}

void Monitor::report_gone() {
  if (gone_) return;
  gone_ = true;
  handlers_.on_gone();
}

// One judgement per turn of the loop, however many objects changed in it. The pods of a large job
// change in bursts over many turns, and each judgement looks at all of them.
void Monitor::judge_soon() {
  if (!job_listed_ || !pods_listed_ || judge_timer_ != nullptr) return;
  const auto pause = std::chrono::milliseconds(judged_ ? pods_.size() / k_pods_per_millisecond : 0);
  judge_timer_ = client_.loop().after(pause, [this] { judge_now(); });
}

void Monitor::judge_now() {
  const HandlePtr done = std::move(judge_timer_);  // holds the very callable that runs
  state_ = judge(kind_, job_, pods_, events());
  judged_ = true;
  handlers_.on_change();
}

std::vector<Json>::const_iterator Monitor::pod_place(const std::string& uid) const {
  return std::lower_bound(
      pods_.begin(), pods_.end(), uid,
      [](const Json& pod, const std::string& at) { return text_at(pod, "/metadata/uid") < at; });
}

bool Monitor::has_pod(const std::string& uid) const {
  const auto place = pod_place(uid);
  return place != pods_.end() && text_at(*place, "/metadata/uid") == uid;
}

// A namesake's pods may still be there: they are the job's only when it is not known yet whose they
// are.
void Monitor::keep_pod(const Json& object) {
  const std::string uid = text_at(object, "/metadata/uid");
  forget_pod(uid);
  if (uid_.empty() || owned_by(object, uid_)) {
    pods_.insert(pod_place(uid), state_part(object));
  }
}

void Monitor::forget_pod(const std::string& uid) {
  if (has_pod(uid)) pods_.erase(pod_place(uid));
}

std::vector<Json> Monitor::events() const {
  std::vector<Json> own;
  for (const auto& [uid, event] : events_) {
    const std::string about = text_at(event, "/involvedObject/uid");
    if (about == uid_ || has_pod(about)) own.push_back(event);
  }
  std::stable_sort(own.begin(), own.end(), [](const Json& a, const Json& b) {
    return event_time(a).value_or(Time{}) < event_time(b).value_or(Time{});
  });
  return own;
}

}  // namespace trainctl::job
