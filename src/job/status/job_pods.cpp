// Watches pods, and picks those of the job.
#include "job/status/job_pods.h"

#include <algorithm>
#include <utility>

#include "job/status/pod_state.h"
#include "job/status/projection.h"
#include "kube/watch/watch.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_grace = "/metadata/deletionGracePeriodSeconds";
constexpr std::string_view k_due = "/metadata/deletionTimestamp";
constexpr int k_gone_kept = 5;  // of a replica: enough to tell a crash loop

}  // namespace

JobPods::JobPods(kube::Client& client, const std::string& ns, std::string selector,
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

void JobPods::report_to(JobPodsHandlers handlers) {
  handlers_ = std::move(handlers);
  later_ = client_.loop().after({}, [this] {
    const std::optional<Error> stopped = std::exchange(stopped_, std::nullopt);
    if (stopped) return handlers_.on_stop(*stopped);
    handlers_.on_change();
  });
}

// A namesake's pods may still be there: they are the job's only while it is not known whose they
// are.
void JobPods::keep_of(const PodOwner& owner) {
  if (owner_ == owner) return;
  owner_ = owner;
  keep_owned(pods_, owner);
}

void JobPods::keep(const Json& object) {
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

void JobPods::forget(const std::string& uid) {
  if (has(uid)) pods_.erase(place(uid));
}

void JobPods::remember_gone(const std::string& uid) {
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

bool JobPods::has(const std::string& uid) const {
  const auto at = place(uid);
  return at != pods_.end() && text_at(*at, "/metadata/uid") == uid;
}

std::vector<Json>::const_iterator JobPods::place(const std::string& uid) const {
  return std::ranges::lower_bound(pods_, uid, [](const Json& pod, const std::string& at) {
    return text_at(pod, "/metadata/uid") < at;
  });
}

void JobPods::changed() {
  if (handlers_.on_change) handlers_.on_change();
}

void JobPods::stop(Error error) {
  if (handlers_.on_stop) return handlers_.on_stop(std::move(error));
  stopped_ = std::move(error);
}

}  // namespace trainctl::job
