// Deletes objects like apiserver's generic registry (BeforeDelete and its finalizers).
#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "local/api/finalizers.h"
#include "local/api/garbage.h"
#include "local/store/object_form.h"

namespace trainctl::local {

namespace {

constexpr std::array<std::string_view, 3> k_immortal = {"default", "kube-system", "kube-public"};

enum class Grace { none, begun, pending };

void set_grace(Json& object, Time end, std::int64_t seconds) {
  set_at(object, "/metadata/deletionTimestamp", whole_seconds(end));
  set_at(object, "/metadata/deletionGracePeriodSeconds", seconds);
}

// A pod that no kubelet runs is removed at once.
std::int64_t grace_of(const Json& pod, int asked) {
  const std::string phase = text_at(pod, "/status/phase");
  const bool scheduled = !text_at(pod, "/spec/nodeName").empty();
  if (!scheduled || phase == "Succeeded" || phase == "Failed") return 0;
  const std::int64_t own = int_at(pod, "/spec/terminationGracePeriodSeconds").value_or(30);
  const std::int64_t seconds = asked >= 0 ? asked : own;
  return seconds < 0 ? 1 : seconds;
}

// A second DELETE may only shorten what the first one granted.
Grace begin_grace(Json& pod, Time now, int asked) {
  const auto end = parse_time(text_at(pod, "/metadata/deletionTimestamp"));
  if (!end) {
    const std::int64_t seconds = grace_of(pod, asked);
    set_grace(pod, now + std::chrono::seconds(seconds), seconds);
    return Grace::begun;
  }
  const auto granted = int_at(pod, "/metadata/deletionGracePeriodSeconds");
  if (!granted) return Grace::none;
  if (asked < 0 || asked >= *granted) return Grace::pending;
  set_grace(pod, *end - std::chrono::seconds(*granted) + std::chrono::seconds(asked), asked);
  return Grace::begun;
}

// The propagation policy of a deletion is stored as a finalizer; "" keeps that of an earlier
// deletion.
void choose_finalizer(Json& object, std::string_view propagation) {
  if (propagation.empty()) return;
  drop_finalizer(object, k_foreground_finalizer);
  drop_finalizer(object, k_orphan_finalizer);
  if (propagation == "Foreground") add_finalizer(object, k_foreground_finalizer);
  if (propagation == "Orphan") add_finalizer(object, k_orphan_finalizer);
}

Answered<Json> remove_now(Store& store, const ServedResource& resource, const Json& object) {
  // Watchers of a pod see that it was deleted on purpose, however short its grace.
  if (resource.graceful) (void)store.update(resource, object);
  Answered<Json> removed = store.remove(resource, text_at(object, "/metadata/namespace"),
                                        text_at(object, "/metadata/name"));
  if (std::holds_alternative<ApiError>(removed) || resource.returns_deleted) return removed;
  return deleted_status(resource, object);
}

// The namespace's contents are deleted first; the collector removes it when it is empty.
Answered<Json> terminate_namespace(Store& store, Time now, const ServedResource& resource,
                                   Json object) {
  const std::string name = text_at(object, "/metadata/name");
  if (std::ranges::find(k_immortal, name) != k_immortal.end()) {
    ApiError error = not_found(resource.qualified(), name);
    error.code = 403;
    error.reason = "Forbidden";
    error.message =
        cat("namespaces \"", name, "\" is forbidden: this namespace may not be deleted");
    return error;
  }
  if (kube::is_being_deleted(object)) return object;
  set_at(object, "/metadata/deletionTimestamp", whole_seconds(now));
  set_at(object, "/status/phase", "Terminating");
  return store.update(resource, std::move(object));
}

}  // namespace

Json deleted_status(const ServedResource& resource, const Json& object) {
  Json details = {{"name", text_at(object, "/metadata/name")}};
  if (!resource.resource.group.empty()) details["group"] = resource.resource.group;
  details["kind"] = resource.resource.plural;
  details["uid"] = text_at(object, "/metadata/uid");
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", Json::object()},
          {"status", "Success"},
          {"details", std::move(details)}};
}

Answered<Json> delete_object(Store& store, Time now, const ServedResource& resource,
                             std::string_view ns, std::string_view name, int grace,
                             std::string_view propagation) {
  const std::shared_ptr<const Json> found = store.get(resource, ns, name);
  if (!found) return not_found(resource.qualified(), name);
  Json object = *found;
  if (&resource == &resource_of(kube::k_namespaces)) {
    return terminate_namespace(store, now, resource, std::move(object));
  }
  const Grace begun = resource.graceful ? begin_grace(object, now, grace) : Grace::none;
  if (begun == Grace::pending) return object;
  choose_finalizer(object, propagation);
  if (!has_finalizers(object)) {
    const bool waits = int_at(object, "/metadata/deletionGracePeriodSeconds").value_or(0) > 0;
    if (begun != Grace::begun || !waits) return remove_now(store, resource, object);
  } else if (begun == Grace::none) {
    const std::string since = text_at(object, "/metadata/deletionTimestamp");
    set_grace(object, parse_time(since).value_or(now), 0);
  }
  return store.update(resource, std::move(object));
}

void end_grace(Json& pod) {
  const auto due = parse_time(text_at(pod, "/metadata/deletionTimestamp"));
  const auto left = int_at(pod, "/metadata/deletionGracePeriodSeconds");
  if (due) set_grace(pod, *due - std::chrono::seconds(left.value_or(0)), 0);
}

Answered<Json> update_or_finish(Store& store, const ServedResource& resource, Json object) {
  const bool waited = kube::is_being_deleted(object) &&
                      int_at(object, "/metadata/deletionGracePeriodSeconds").value_or(0) == 0;
  const std::string ns = text_at(object, "/metadata/namespace");
  const std::string name = text_at(object, "/metadata/name");
  const std::shared_ptr<const Json> before = store.get(resource, ns, name);
  const bool released = waited && !has_finalizers(object) && before && has_finalizers(*before);
  // The deleted event shows the object as it waited, with its last finalizer.
  return released ? store.remove(resource, ns, name) : store.update(resource, std::move(object));
}

}  // namespace trainctl::local
