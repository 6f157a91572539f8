// Watches on the job, its pods and its events, joined into one judged state.
#include "status/monitor.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "kube/client/collection.h"
#include "kube/watch/watch.h"
#include "status/events.h"
#include "status/judgement.h"
#include "status/ownership.h"
#include "status/pod_state.h"
#include "status/projection.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_grace = "/metadata/deletionGracePeriodSeconds";
constexpr std::string_view k_due = "/metadata/deletionTimestamp";
constexpr int k_gone_kept = 5;  // of a replica: enough to tell a crash loop

}  // namespace

PodWatch::PodWatch(kube::Client& client, const std::string& ns, std::string selector,
                   net::Lane list_lane)
    : client_(client) {
  kube::WatchHandlers handlers;
  handlers.on_change = [this](const Json& object) {
    keep(object);
    changed();
  };
  handlers.on_history_lost = [this] { history_lost_ = true; };
  handlers.on_resumed = [this] {
    if (handlers_.on_resumed) handlers_.on_resumed();
  };
  handlers.on_gone = [this](const Json& object) {
    const std::string uid = text_at(object, "/metadata/uid");
    if (has(uid) && handlers_.on_gone) handlers_.on_gone(object);
    if (find(object, "/status") != nullptr) keep(object);
    remember_gone(uid);
    changed();
  };
  handlers.on_listed = [this] {
    listed_ = true;
    history_lost_ = false;
    changed();
  };
  // The job's own watch reports the same outage.
  handlers.on_trouble = [](const std::string&) {};
  handlers.on_stop = [this](Error error) { stop(std::move(error)); };
  kube::WatchTarget target{kube::k_pods, ns, {std::move(selector), ""}, list_lane};
  watch_ = start_watch(client, std::move(target), std::move(handlers));
}

void PodWatch::report_to(PodWatchHandlers handlers) {
  handlers_ = std::move(handlers);
  later_ = client_.loop().after({}, [this] {
    const std::optional<Error> stopped = std::exchange(stopped_, std::nullopt);
    if (stopped) return handlers_.on_stop(*stopped);
    handlers_.on_change();
  });
}

// A namesake's pods may still be there: they are the job's only while it is not known whose they
// are.
void PodWatch::keep_of(const PodOwner& owner) {
  if (owner_ == owner) return;
  owner_ = owner;
  keep_owned(pods_, owner);
}

void PodWatch::keep(const Json& object) {
  const std::string uid = text_at(object, "/metadata/uid");
  const bool is_new = !has(uid);
  const bool was_alive = !is_new && was_alive_when_deleted(*place(uid));
  const Json before = was_alive ? object_at(*place(uid), "/metadata") : Json();
  forget(uid);
  if (owner_ && !owner_->owns(object)) return;
  Json pod = state_projection(object);
  // A node's last status sets the grace period to 0, and the deletion time with it: a stopped
  // container would look as if it had ended before.
  if (was_alive) {
    set_at(pod, k_grace, before["deletionGracePeriodSeconds"]);
    set_at(pod, k_due, before["deletionTimestamp"]);
  }
  const auto kept = pods_.insert(place(uid), std::move(pod));
  if (handlers_.on_pod) handlers_.on_pod(*kept);
  if (is_new && history_lost_ && handlers_.on_found_late) handlers_.on_found_late(uid);
}

void PodWatch::forget(const std::string& uid) {
  if (has(uid)) pods_.erase(place(uid));
}

void PodWatch::remember_gone(const std::string& uid) {
  if (!has(uid)) return;
  const Json last = *place(uid);
  forget(uid);
  if (!owner_) return;
  const auto replica = replica_of(owner_->kind(), last);
  const auto is_same = [&](const Json& pod) { return replica_of(owner_->kind(), pod) == replica; };
  if (std::ranges::count_if(gone_, is_same) == k_gone_kept) {
    gone_.erase(std::ranges::find_if(gone_, is_same));
  }
  gone_.push_back(last);
}

bool PodWatch::has(const std::string& uid) const {
  const auto at = place(uid);
  return at != pods_.end() && text_at(*at, "/metadata/uid") == uid;
}

std::vector<Json>::const_iterator PodWatch::place(const std::string& uid) const {
  return std::ranges::lower_bound(pods_, uid, [](const Json& pod, const std::string& at) {
    return text_at(pod, "/metadata/uid") < at;
  });
}

void PodWatch::changed() {
  if (handlers_.on_change) handlers_.on_change();
}

void PodWatch::stop(Error error) {
  if (handlers_.on_stop) return handlers_.on_stop(std::move(error));
  stopped_ = std::move(error);
}

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
                     : std::make_unique<PodWatch>(client, job.ns, pod_selector(&kind, job.name))),
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
