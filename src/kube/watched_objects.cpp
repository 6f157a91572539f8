// Objects by name, compared by uid and resourceVersion.
#include "kube/watched_objects.h"

#include <utility>

#include "base/text.h"

namespace trainctl::kube {

namespace {

std::string key_of(const Json& object) {
  return cat(text_at(object, "/metadata/namespace"), "/", text_at(object, "/metadata/name"));
}

bool same_at(const Json& left, const Json& right, std::string_view pointer) {
  return text_at(left, pointer) == text_at(right, pointer);
}

}  // namespace

std::optional<Json> WatchedObjects::take_namesake(const Json& object) {
  const auto found = known_.find(key_of(object));
  if (found == known_.end() || same_at(found->second, object, "/metadata/uid")) return std::nullopt;
  Json earlier = std::move(found->second);
  known_.erase(found);
  return earlier;
}

bool WatchedObjects::keep(const Json& object) {
  const std::string key = key_of(object);
  listed_.insert(key);
  const auto found = known_.find(key);
  const bool known = found != known_.end() && same_at(found->second, object, "/metadata/uid") &&
                     same_at(found->second, object, "/metadata/resourceVersion");
  if (!known) known_[key] = object;
  return !known;
}

bool WatchedObjects::forget(const Json& object) {
  const auto found = known_.find(key_of(object));
  if (found == known_.end() || !same_at(found->second, object, "/metadata/uid")) return false;
  known_.erase(found);
  return true;
}

std::vector<Json> WatchedObjects::end_list() {
  std::vector<Json> gone;
  for (auto at = known_.begin(); at != known_.end();) {
    if (listed_.contains(at->first)) {
      ++at;
      continue;
    }
    gone.push_back(std::move(at->second));
    at = known_.erase(at);
  }
  listed_.clear();
  return gone;
}

}  // namespace trainctl::kube
