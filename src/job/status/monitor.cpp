// Watches on the job, its pods and its events, joined into one judged state.
#include "job/status/monitor.h"

#include <utility>

#include "base/text/text.h"
#include "job/status/events.h"
#include "job/status/projection.h"
#include "job/status/taken_name.h"
#include "kube/client/collection.h"

namespace trainctl::job {

namespace {

constexpr std::size_t k_pods_per_millisecond = 10;  // a thousand are judged ten times a second

std::vector<kube::WatchTarget> events_of(const Kind& kind, const KnownJob& job, bool all_events) {
  const auto target = [&job](std::string fields) {
    return kube::WatchTarget{kube::k_events, job.ns, {"", std::move(fields)}};
  };
  std::vector<kube::WatchTarget> targets = {
      target(cat("involvedObject.kind=", kind.resource.kind, ",involvedObject.name=", job.name)),
      target(cat("involvedObject.kind=Pod", all_events ? "" : ",type=Warning"))};
  for (const Helper& helper : kind.controller.helpers) {
    targets.push_back(target(cat("involvedObject.kind=", helper.kind, ",type=Warning")));
  }
  return targets;
}

}  // namespace

// Events only explain: a user who may not read them still gets the verdict.
Monitor::Monitor(kube::Client& client, const Kind& kind, KnownJob job, bool all_events,
                 MonitorHandlers handlers)
    : client_(client),
      kind_(kind),
      handlers_(std::move(handlers)),
      job_(client, kind, job.ns, job.name, job.uid, std::move(job.object), job_handlers()),
      pods_(job.pods ? std::move(job.pods)
                     : std::make_unique<JobPods>(client, job.ns, pod_selector(&kind, job.name))),
      events_(client, events_of(kind, job, all_events), {.on_change = [this] { judge_soon(); }}) {
  watch_pods();
}

WatchedJobHandlers Monitor::job_handlers() {
  return {.on_change =
              [this] {
                keep_own_pods();
                judge_soon();
              },
          .on_gone = [this] { on_job_gone(); },
          .on_trouble = handlers_.on_trouble,
          .on_stop = handlers_.on_stop};
}

void Monitor::keep_own_pods() {
  if (!job().is_null()) pods_->keep_of(PodOwner(kind_, job()));
}

void Monitor::watch_pods() {
  keep_own_pods();
  pods_->report_to({.on_change = [this] { judge_soon(); },
                    .on_pod = handlers_.on_pod,
                    .on_gone = handlers_.on_pod_gone,
                    .on_found_late = handlers_.on_pod_found_late,
                    .on_resumed = handlers_.on_pods_resumed,
                    .on_stop = handlers_.on_stop});
}

void Monitor::on_job_gone() {
  // Its last state may be its end: a job whose time to live is 0 is gone with it.
  if (job_.listed() && pods_->listed()) judge_now();
  handlers_.on_gone();
}

// One judgement per turn of the loop, however many objects changed in it. The pods of a large job
// change in bursts over many turns, and each judgement looks at all of them.
void Monitor::judge_soon() {
  if (job().is_null() || !pods_->listed() || judge_timer_ != nullptr) return;
  const std::size_t wait = judged_ ? pods().size() / k_pods_per_millisecond : 0;
  const auto pause = std::chrono::milliseconds(wait);
  judge_timer_ = client_.loop().after(pause, [this] { judge_now(); });
}

void Monitor::judge_now() {
  judge_timer_.reset();
  JobState now = judge(evidence());
  if (ask_for_stranger(now)) return;
  const JobState before = std::exchange(state_, std::move(now));
  judged_ = true;
  handlers_.on_change(before);
}

// Another's pod may have the name of one of the job's: the watch does not show it, so it is asked
// for, once, before anything is reported about it.
bool Monitor::ask_for_stranger(const JobState& now) {
  if (!now.blocker || now.blocker->reason != "FailedCreatePod") return false;
  const std::string name = taken_pod_name(now.blocker->message);
  if (name.empty() || !asked_.insert(name).second) return false;
  auto request = kube::list_request(kube::k_pods, text_at(job(), "/metadata/namespace"),
                                    {"", cat("metadata.name=", name)}, "");
  if (!request) return false;
  question_ = client_.fetch(*std::move(request), [this](const auto& answer) {
    take_stranger(answer);
    judge_now();
  });
  return true;
}

void Monitor::take_stranger(const std::variant<Json, kube::Failure>& answer) {
  const Json* list = std::get_if<Json>(&answer);
  if (list == nullptr) return;  // it remains unknown whose it is
  const PodOwner owner(kind_, job());
  for (const Json& pod : array_at(*list, "/items")) {
    if (!owner.owns(pod)) strangers_.push_back(state_projection(pod));
  }
}

Evidence Monitor::evidence() const {
  Objects events;
  for (const auto& [uid, event] : events_.objects()) events.push_back(&event);
  Objects known = pointers_to(pods());
  for (const Json& stranger : strangers_) known.push_back(&stranger);
  return gather_evidence({kind_, job()}, known, pointers_to(pods_->gone()), events);
}

std::vector<Json> Monitor::events() const {
  const Evidence known = evidence();
  Objects own;
  for (const auto& [subject, about] : known.events) {
    own.insert(own.end(), about.begin(), about.end());
  }
  sort_by_time(own);
  std::vector<Json> copies;
  for (const Json* event : own) copies.push_back(*event);
  return copies;
}

}  // namespace trainctl::job
