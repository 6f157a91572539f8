// Sets of watched objects, joined by an index that is made for each judgement.
#include "status/jobs_monitor.h"

#include <algorithm>

#include "base/text/text.h"
#include "status/judgement.h"
#include "status/projection.h"
#include "status/watched_set.h"

namespace trainctl::job {

namespace {

// Changes come in bursts: a pod, its events, the job's status. They are judged together.
constexpr Duration k_debounce = std::chrono::milliseconds(100);

std::string key_of(const Json& object) {
  return cat(text_at(object, "/metadata/namespace"), "/", text_at(object, "/metadata/name"), "/",
             text_at(object, "/metadata/uid"));
}

JudgedJob judged(const OwnershipIndex& index, const Kind& kind, const Json& object) {
  return {&kind, &object, judge(index.evidence(kind, object))};
}

}  // namespace

JobsMonitor::JobsMonitor(kube::Client& client, WantedJobs wanted, JobsSink& sink)
    : client_(client), wanted_(std::move(wanted)), sink_(sink) {
  for (const Kind* kind : wanted_.kinds) watch_jobs(*kind);
  watch_related();
}

void JobsMonitor::watch_jobs(const Kind& kind) {
  WatchedSetHandlers handlers;
  if (!wanted_.names.empty()) {
    handlers.part = [this, &kind](const Json& object) {
      return is_wanted(kind, object) ? object : Json();
    };
  }
  handlers.on_change = [this] { judge_soon(); };
  handlers.on_gone = [this, &kind](const Json& last) { on_job_gone(kind, last); };
  handlers.on_trouble = [this](const std::string& notice) { on_trouble(notice); };
  handlers.on_stop = [this](const kube::Resource&, const Error& error) { sink_.on_stop(error); };
  const kube::WatchTarget target{kind.resource, wanted_.ns, {wanted_.labels, ""}};
  auto objects = std::make_unique<WatchedSet>(client_, std::vector{target}, std::move(handlers));
  objects_.push_back({&kind, std::move(objects)});
}

void JobsMonitor::watch_related() {
  WatchedSetHandlers handlers;
  handlers.on_change = [this] { judge_soon(); };
  handlers.on_gone = [this](const Json&) { judge_soon(); };
  handlers.on_trouble = [this](const std::string& notice) { on_trouble(notice); };
  handlers.on_stop = [this](const kube::Resource& resource, const Error& error) {
    if (missing_.insert(resource.plural).second) sink_.on_missing(resource, error);
  };
  const WatchTargets around = watch_targets(wanted_.ns, wanted_.kinds);
  WatchedSetHandlers of_pods = handlers;
  of_pods.part = state_projection;
  pods_.emplace(client_, around.pods, std::move(of_pods));
  events_.emplace(client_, std::vector{around.warnings, around.exits}, std::move(handlers));
}

bool JobsMonitor::is_wanted(const Kind& kind, const Json& object) const {
  const std::pair job(&kind, text_at(object, "/metadata/name"));
  return std::ranges::find(wanted_.names, job) != wanted_.names.end();
}

void JobsMonitor::on_job_gone(const Kind& kind, const Json& last) {
  jobs_.erase(key_of(last));
  gone_.push_back({&kind, last});
  judge_soon();
}

// All watches meet the same trouble, and wait for equal times.
void JobsMonitor::on_trouble(const std::string& notice) {
  if (std::exchange(trouble_, notice) != notice) sink_.on_trouble(notice);
}

bool JobsMonitor::all_listed() const {
  return pods_->listed() && events_->listed() &&
         std::ranges::all_of(objects_, [](const OfKind& each) { return each.objects->listed(); });
}

void JobsMonitor::judge_soon() {
  if (judge_timer_ != nullptr || !all_listed()) return;
  judge_timer_ = client_.loop().after(k_debounce, [this] { judge_now(); });
}

void JobsMonitor::judge_now() {
  judge_timer_.reset();
  const OwnershipIndex all = index();
  for (const Gone& gone : std::exchange(gone_, {})) {
    sink_.on_gone(key_of(gone.object), judged(all, *gone.kind, gone.object));
  }
  jobs_.clear();
  for (const auto& [kind, set] : objects_) {
    for (const auto& [uid, object] : set->objects()) {
      jobs_.emplace(key_of(object), judged(all, *kind, object));
    }
  }
  sink_.on_change();
}

OwnershipIndex JobsMonitor::index() const {
  OwnershipIndex all;
  for (const auto& [uid, pod] : pods_->objects()) all.add_pod(pod);
  for (const auto& [uid, event] : events_->objects()) all.add_event(event);
  return all;
}

}  // namespace trainctl::job
