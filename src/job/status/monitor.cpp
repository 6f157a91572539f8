// Watches on the job, its pods and its events, joined into one judged state.
#include "job/status/monitor.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "job/status/events.h"
#include "job/status/evidence.h"

namespace trainctl::job {

namespace {

constexpr std::size_t k_pods_per_millisecond = 10;  // a thousand are judged ten times a second

}  // namespace

Monitor::Monitor(kube::Client& client, const Kind& kind, KnownJob job, bool all_events,
                 MonitorHandlers handlers)
    : client_(client),
      kind_(kind),
      ns_(std::move(job.ns)),
      name_(std::move(job.name)),
      uid_(std::move(job.uid)),
      handlers_(std::move(handlers)),
      job_(std::move(job.object)),
      pods_(std::move(job.pods)) {
  watch_job();
  hear_of_pods();
  // Events only explain: a user who may not read them still gets the verdict.
  job_event_watch_ =
      watch_events(cat("involvedObject.kind=", kind_.resource.kind, ",involvedObject.name=", name_),
                   job_events_listed_);
  pod_event_watch_ = watch_events(cat("involvedObject.kind=Pod", all_events ? "" : ",type=Warning"),
                                  pod_events_listed_);
}

Monitor::~Monitor() = default;

void Monitor::watch_job() {
  kube::WatchHandlers handlers;
  handlers.on_change = [this](const Json& object) { on_job(object); };
  handlers.on_gone = [this](const Json& object) { on_job_gone(object); };
  handlers.on_listed = [this] {
    if (!job_read_) {
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

void Monitor::hear_of_pods() {
  if (pods_ == nullptr) {
    pods_ = std::make_unique<JobPods>(client_, ns_, pod_selector(&kind_, name_));
  }
  if (!uid_.empty()) pods_->keep_of(uid_);
  pods_->tell({.on_change = [this] { judge_soon(); },
               .on_gone = handlers_.on_pod_gone,
               .on_found_late = handlers_.on_pod_found_late,
               .on_resumed = handlers_.on_pods_resumed,
               .on_stop = handlers_.on_stop});
}

HandlePtr Monitor::watch_events(std::string field_selector, bool& listed) {
  kube::WatchHandlers handlers;
  handlers.on_change = [this](const Json& object) {
    events_[text_at(object, "/metadata/uid")] = object;
    judge_soon();
  };
  handlers.on_gone = [this](const Json& object) {
    events_.erase(text_at(object, "/metadata/uid"));
  };
  const auto on_listed = [this, &listed] {
    listed = true;
    judge_soon();
  };
  handlers.on_listed = on_listed;
  handlers.on_trouble = [](const std::string&) {};
  handlers.on_stop = [on_listed](const Error&) { on_listed(); };
  kube::WatchTarget target{kube::k_events, ns_, {"", std::move(field_selector)}};
  return start_watch(client_, std::move(target), std::move(handlers));
}

void Monitor::on_job(const Json& object) {
  const std::string uid = text_at(object, "/metadata/uid");
  if (uid_.empty()) {
    uid_ = uid;
    pods_->keep_of(uid_);
  }
  if (uid != uid_) {
    if (!job_.is_null()) report_gone();
    return;
  }
  job_read_ = true;
  job_ = object;
  judge_soon();
}

void Monitor::on_job_gone(const Json& object) {
  if (text_at(object, "/metadata/uid") != uid_) return;
  if (find(object, "/spec") != nullptr) job_ = object;
  // Its last state may be its end: a job whose time to live is 0 is gone with it.
  if (job_listed_ && pods_->listed()) judge_now();
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
  if (job_.is_null() || !pods_->listed() || judge_timer_ != nullptr) return;
  const std::size_t wait = judged_ ? pods().size() / k_pods_per_millisecond : 0;
  const auto pause = std::chrono::milliseconds(wait);
  judge_timer_ = client_.loop().after(pause, [this] { judge_now(); });
}

void Monitor::judge_now() {
  judge_timer_.reset();
  Objects events;
  for (const auto& [uid, event] : events_) events.push_back(&event);
  const JobState before =
      std::exchange(state_, judge(gather_evidence({kind_, job_}, pointers_to(pods()),
                                                  pointers_to(pods_->gone()), events)));
  judged_ = true;
  handlers_.on_change(before);
}

std::vector<Json> Monitor::events() const {
  JobOwnership ownership(kind_, job_);
  for (const Json& pod : pods()) ownership.add_pod(pod);
  for (const Json& pod : pods_->gone()) ownership.add_pod(pod);
  Objects own;
  for (const auto& [uid, event] : events_) {
    if (!ownership.subject(event).empty()) own.push_back(&event);
  }
  sort_by_time(own);
  std::vector<Json> copies;
  for (const Json* event : own) copies.push_back(*event);
  return copies;
}

}  // namespace trainctl::job
