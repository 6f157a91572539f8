// Checks of single objects, and the edits that the operator and the kubelet share.
#include "local/store/store_objects.h"

#include <algorithm>

#include "kube/object/metadata.h"
#include "local/store/object_form.h"
#include "local/store/store.h"

namespace trainctl::local {

namespace {

constexpr auto k_event_life = std::chrono::hours(1);

}  // namespace

bool counts_as_new_generation(const Json& before, const Json& object) {
  return !same_specification(before, object) ||
         (kube::is_being_deleted(object) && !kube::is_being_deleted(before));
}

void set_birth(const ServedResource& resource, Json& object, Time now) {
  set_at(object, "/kind", resource.resource.kind);
  set_at(object, "/apiVersion", resource.resource.api_version());
  set_at(object, "/metadata/uid", new_uid());
  set_at(object, "/metadata/creationTimestamp", whole_seconds(now));
  if (resource.has_generation) set_at(object, "/metadata/generation", 1);
}

ApiError name_taken(const ServedResource& resource, const Json& existing) {
  ApiError error = already_exists(resource.qualified(), text_at(existing, "/metadata/name"));
  if (kube::is_being_deleted(existing)) error.message = "object is being deleted: " + error.message;
  return error;
}

ApiError modified_meanwhile(const ServedResource& resource, std::string_view name) {
  return conflict(resource.qualified(), name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

bool is_event(const ServedResource& resource) {
  return resource.resource.group.empty() && resource.resource.plural == kube::k_events.plural;
}

Time event_expiry(const Json& event) {
  Time written{};
  for (const char* stamp : {"/metadata/creationTimestamp", "/lastTimestamp", "/eventTime",
                            "/series/lastObservedTime"}) {
    written = std::max(written, parse_time(text_at(event, stamp)).value_or(Time{}));
  }
  return written + k_event_life;
}

void modify(Store& store, const ServedResource& resource, std::string_view ns,
            std::string_view name, const std::function<void(Json& object)>& change) {
  const std::shared_ptr<const Json> found = store.get(resource, ns, name);
  if (!found) return;
  Json object = *found;
  change(object);
  (void)store.update(resource, std::move(object));
}

bool is_owned_by(const Json& object, std::string_view uid) {
  const Json& owners = array_at(object, "/metadata/ownerReferences");
  return std::ranges::any_of(owners,
                             [uid](const Json& owner) { return text_at(owner, "/uid") == uid; });
}

}  // namespace trainctl::local
