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
#include "status/workload.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_grace = "/metadata/deletionGracePeriodSeconds";
constexpr std::string_view k_due = "/metadata/deletionTimestamp";
constexpr int k_gone_kept = 5;                      // of a replica: enough to tell a crash loop
constexpr std::size_t k_pods_per_millisecond = 10;  // a thousand are judged ten times a second

std::vector<kube::WatchTarget> events_of(const Kind& kind, const std::string& ns,
                                         const std::string& name, bool all_events) {
  const auto target = [&ns](std::string fields) {
    return kube::WatchTarget{kube::k_events, ns, {"", std::move(fields)}};
  };
  std::vector<kube::WatchTarget> targets = {
      target(cat("involvedObject.kind=", kind.resource.kind, ",involvedObject.name=", name)),
      target(cat("involvedObject.kind=Pod", all_events ? "" : ",type=Warning"))};
  for (const Helper& helper : kind.controller.helpers) {
    targets.push_back(target(cat("involvedObject.kind=", helper.kind, ",type=Warning")));
  }
  return targets;
}

}  // namespace

PodWatch::PodWatch(kube::Client& client, const std::string& ns, std::string selector,
                   net::Lane list_lane)
    : client_(client) {
  kube::WatchHandlers handlers;
  handlers.on_change = [this](const Json& object) {
    keep(object);
    on_change_();
  };
  handlers.on_history_lost = [this] { history_lost_ = true; };
  handlers.on_resumed = [this] {
    if (sink_ != nullptr) sink_->on_pods_resumed();
  };
  handlers.on_gone = [this](const Json& object) {
    const std::string uid = text_at(object, "/metadata/uid");
    if (has(uid) && sink_ != nullptr) sink_->on_pod_gone(object);
    if (find(object, "/status") != nullptr) keep(object);
    remember_gone(uid);
    on_change_();
  };
  handlers.on_listed = [this] {
    listed_ = true;
    history_lost_ = false;
    on_change_();
  };
  handlers.on_trouble = [this](const std::string& notice) {
    refused_ = !notice.empty();
    if (sink_ != nullptr) sink_->on_pods_outage(notice);
    if (!listed_) on_change_();
  };
  handlers.on_stop = [this](Error error) { stop(std::move(error)); };
  kube::WatchTarget target{kube::k_pods, ns, {std::move(selector), ""}, list_lane};
  watch_ = start_watch(client, std::move(target), std::move(handlers));
}

void PodWatch::report_to(JobSink& sink, std::function<void()> on_change) {
  sink_ = &sink;
  on_change_ = std::move(on_change);
  later_ = client_.loop().after({}, [this] {
    const std::optional<Error> stopped = std::exchange(stopped_, std::nullopt);
    if (stopped) return stop(*stopped);
    on_change_();
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
  if (sink_ == nullptr) return;
  sink_->on_pod(*kept);
  if (is_new && history_lost_) sink_->on_pod_found_late(uid);
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

void PodWatch::stop(Error error) {
  refused_ = true;
  if (sink_ == nullptr) {
    stopped_ = std::move(error);
    return;
  }
  if (!listed_) on_change_();
  sink_->on_pods_stop(std::move(error));
}

// Events only explain: a user who may not read them still gets the verdict.
Monitor::Monitor(kube::Client& client, const Kind& kind, KnownJob job, bool all_events,
                 JobSink& sink)
    : pods_client_(&client),
      kind_(kind),
      sink_(sink),
      job_(std::move(job.object)),
      uid_(job.uid),
      job_watch_(watch_job(client, job.ns, job.name)),
      pods_(job.pods ? std::move(job.pods)
                     : std::make_unique<PodWatch>(client, job.ns, pod_selector(&kind, job.name))) {
  watch_events(job.ns, job.name, all_events);
  keep_own_pods();
  pods_->report_to(sink_, [this] { judge_soon(); });
}

void Monitor::watch_events(const std::string& ns, const std::string& name, bool all_events) {
  events_.emplace(*pods_client_, events_of(kind_, ns, name, all_events),
                  WatchedSetHandlers{.on_change = [this] { judge_soon(); }});
}

void Monitor::find_pods_at(const WorkerPods& worker, bool all_events) {
  const std::string ns = text_at(job_, "/metadata/namespace");
  const std::string name = text_at(job_, "/metadata/name");
  pods_client_ = worker.client;
  identify_at_worker(worker.job);
  worker_.stays = true;
  pods_ =
      std::make_unique<PodWatch>(*worker.client, ns, pod_selector(&kind_, name), net::Lane::stream);
  watch_events(ns, name, all_events);
  keep_own_pods();
  pods_->report_to(sink_, [this] { judge_soon(); });
}

bool Monitor::knows_pods() const {
  return pods_->listed() && (has_had_worker() || !is_dispatched(job_));
}

// Kueue copies the status to the manager's cluster, where it counts.
void Monitor::identify_at_worker(const Json& copy) {
  Json job = job_;
  for (const std::string_view identity : {"/metadata/uid", "/metadata/creationTimestamp"}) {
    set_at(job, identity, text_at(copy, identity));
  }
  worker_.job = std::move(job);
}

HandlePtr Monitor::watch_job(kube::Client& client, const std::string& ns, const std::string& name) {
  kube::WatchHandlers handlers;
  handlers.on_change = [this](const Json& object) { take_job(object); };
  handlers.on_gone = [this](const Json& last) {
    if (text_at(last, "/metadata/uid") != uid_) return;
    if (find(last, "/spec") != nullptr) job_ = last;
    on_job_gone();
  };
  handlers.on_listed = [this] {
    if (known_ == Known::as_given) return on_job_gone();
    known_ = Known::listed;
    on_job_change();
  };
  handlers.on_trouble = [this](const std::string& notice) { sink_.on_outage(notice); };
  handlers.on_stop = [this](Error error) { sink_.on_stop(std::move(error)); };
  return start_watch(client, {kind_.resource, ns, {"", "metadata.name=" + name}},
                     std::move(handlers));
}

void Monitor::take_job(const Json& object) {
  const std::string uid = text_at(object, "/metadata/uid");
  if (uid != uid_) {
    if (!job_.is_null()) on_job_gone();
    return;
  }
  if (known_ == Known::as_given) known_ = Known::read;
  job_ = object;
  if (has_had_worker()) identify_at_worker(Json(worker_.job));
  if (true_at(job_, kind_.controller.suspend)) worker_.stays = false;
  on_job_change();
}

void Monitor::on_job_change() {
  keep_own_pods();
  judge_soon();
}

void Monitor::keep_own_pods() {
  if (!job().is_null()) pods_->keep_of(PodOwner(kind_, owner()));
}

void Monitor::on_job_gone() {
  if (std::exchange(gone_, true)) return;
  // Its last state may be its end: a job whose time to live is 0 is gone with it.
  if (up_to_date() && pods_->listed()) judge_now();
  sink_.on_gone();
}

// One judgement per turn of the loop, however many objects changed in it. The pods of a large job
// change in bursts over many turns, and each judgement looks at all of them.
void Monitor::judge_soon() {
  // The verdict of a job is known without its worker cluster.
  const bool knows_pods = pods_->listed() || (has_had_worker() && pods_->is_refused());
  if (job().is_null() || !knows_pods || pending_.judgement != nullptr) return;
  const std::size_t wait = judged_ ? pods().size() / k_pods_per_millisecond : 0;
  const auto pause = std::chrono::milliseconds(wait);
  pending_.judgement = pods_client_->loop().after(pause, [this] { judge_now(); });
}

void Monitor::judge_now() {
  pending_.judgement.reset();
  JobState now = judge(evidence());
  if (ask_for_stranger(now)) return;
  const JobState before = std::exchange(state_, std::move(now));
  judged_ = true;
  sink_.on_change(before);
}

// Another's pod may have the name of one of the job's: the watch does not show it, so it is asked
// for, once, before anything is reported about it.
bool Monitor::ask_for_stranger(const JobState& now) {
  if (!now.blocker || now.blocker->reason != "FailedCreatePod") return false;
  const std::string name = taken_pod_name(now.blocker->message);
  if (name.empty() || !strangers_.try_emplace(name).second) return false;
  auto request = kube::list_request(kube::k_pods, text_at(job(), "/metadata/namespace"),
                                    {"", cat("metadata.name=", name)}, "");
  if (!request) return false;
  pending_.question = pods_client_->fetch(*std::move(request), [this, name](const auto& answer) {
    take_stranger(name, answer);
    judge_now();
  });
  return true;
}

void Monitor::take_stranger(const std::string& name,
                            const std::variant<Json, kube::Failure>& answer) {
  const Json* list = std::get_if<Json>(&answer);
  if (list == nullptr) return;  // it remains unknown whose it is
  const PodOwner self(kind_, owner());
  for (const Json& pod : array_at(*list, "/items")) {
    if (!self.owns(pod)) strangers_[name].push_back(state_projection(pod));
  }
}

Evidence Monitor::evidence() const {
  Objects events;
  for (const auto& [uid, event] : events_->objects()) events.push_back(&event);
  Objects known = pointers_to(pods());
  for (const auto& [name, found] : strangers_) {
    for (const Json& stranger : found) known.push_back(&stranger);
  }
  return gather_evidence({kind_, owner()}, known, pointers_to(pods_->gone()), events);
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
