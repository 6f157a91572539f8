// Finds objects by name, compares them by uid and resourceVersion.
#include "kube/watch/watched_objects.h"

#include <utility>

#include "base/text/text.h"

namespace trainctl::kube {

namespace {

std::string key_of(const Json& object) {
  return cat(text_at(object, "/metadata/namespace"), "/", text_at(object, "/metadata/name"));
}

}  // namespace

WatchedObjects::Known WatchedObjects::known(const Json& object) {
  return {text_at(object, "/metadata/namespace"), text_at(object, "/metadata/name"),
          text_at(object, "/metadata/uid"), text_at(object, "/metadata/resourceVersion")};
}

Json WatchedObjects::identity(const Known& known) {
  Json metadata = {{"namespace", known.ns},
                   {"name", known.name},
                   {"uid", known.uid},
                   {"resourceVersion", known.version}};
  return {{"metadata", std::move(metadata)}};
}

std::optional<Json> WatchedObjects::take_namesake(const Json& object) {
  const auto found = known_.find(key_of(object));
  if (found == known_.end() || found->second.uid == known(object).uid) return std::nullopt;
  const Json earlier = identity(found->second);
  known_.erase(found);
  return earlier;
}

bool WatchedObjects::keep(const Json& object) {
  const std::string key = key_of(object);
  if (listed_) listed_->insert(key);
  Known now = known(object);
  const auto [at, is_new] = known_.try_emplace(key, now);
  if (!is_new && at->second == now) return false;
  at->second = std::move(now);
  return true;
}

bool WatchedObjects::forget(const Json& object) {
  const auto found = known_.find(key_of(object));
  if (found == known_.end() || found->second.uid != known(object).uid) return false;
  known_.erase(found);
  return true;
}

std::vector<Json> WatchedObjects::end_list() {
  std::vector<Json> gone;
  for (auto at = known_.begin(); at != known_.end();) {
    if (listed_ && listed_->contains(at->first)) {
      ++at;
      continue;
    }
    gone.push_back(identity(at->second));
    at = known_.erase(at);
  }
  listed_.reset();
  return gone;
}

}  // namespace trainctl::kube
