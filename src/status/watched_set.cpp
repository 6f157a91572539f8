// One map, and a watch for each collection.
#include "status/watched_set.h"

#include <memory>
#include <utility>

#include "kube/watch/watch.h"

namespace trainctl::job {

WatchedSet::WatchedSet(kube::Client& client, const std::vector<kube::WatchTarget>& targets,
                       WatchedSetHandlers handlers)
    : client_(client), handlers_(std::move(handlers)), unlisted_(targets.size()) {
  for (const kube::WatchTarget& target : targets) watches_.push_back(watch(target));
}

HandlePtr WatchedSet::watch(const kube::WatchTarget& target) {
  const auto on_listed = [this, first = std::make_shared<bool>(true)] {
    if (std::exchange(*first, false)) --unlisted_;
    handlers_.on_change();
  };
  kube::WatchHandlers handlers;
  handlers.on_change = [this](const Json& object) { keep(object); };
  handlers.on_gone = [this](const Json& object) { drop(object); };
  handlers.on_listed = on_listed;
  handlers.on_trouble = [this](const std::string& notice) {
    if (handlers_.on_trouble) handlers_.on_trouble(notice);
  };
  handlers.on_stop = [this, on_listed, resource = target.resource](const Error& error) {
    if (handlers_.on_stop) handlers_.on_stop(resource, error);
    on_listed();
  };
  return start_watch(client_, target, std::move(handlers));
}

void WatchedSet::keep(const Json& object) {
  Json part = handlers_.part ? handlers_.part(object) : object;
  const std::string uid = text_at(object, "/metadata/uid");
  if (part.is_null()) {
    if (objects_.erase(uid) > 0) handlers_.on_change();
    return;
  }
  objects_.insert_or_assign(uid, std::move(part));
  handlers_.on_change();
}

void WatchedSet::drop(const Json& object) {
  auto known = objects_.extract(text_at(object, "/metadata/uid"));
  if (known.empty() || !handlers_.on_gone) return;
  // A list from which it is missing says no more than its name.
  const bool is_whole = find(object, "/spec") != nullptr;
  handlers_.on_gone(is_whole ? object : known.mapped());
}

WatchTargets watch_targets(const std::string& ns, std::span<const Kind* const> kinds) {
  std::vector<kube::WatchTarget> pods;
  for (const std::string_view label : job_labels(kinds)) {
    pods.push_back({kube::k_pods, ns, {std::string(label), ""}});
  }
  return {.pods = std::move(pods),
          .warnings = {kube::k_events, ns, {"", "type!=Normal"}},
          .exits = {kube::k_events, ns, {"", "reason=ExitedWithCode"}}};
}

}  // namespace trainctl::job
