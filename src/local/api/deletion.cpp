// Deletes objects like apiserver's generic registry (BeforeDelete and its finalizers).
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "local/api/garbage.h"
#include "local/api/handlers.h"
#include "local/api/query.h"
#include "local/store/object_form.h"
#include "local/store/store.h"

namespace trainctl::local {
namespace {

bool has_finalizers(const Json& object) {
  return !array_at(object, "/metadata/finalizers").empty();
}

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

Answered<Json> remove_now(Store& store, const ServedResource& resource, const Json& object) {
  // Watchers of a pod see that it was deleted on purpose, however short its grace.
  if (resource.graceful) (void)store.update(resource, object);
  return store.remove(resource, text_at(object, "/metadata/namespace"),
                      text_at(object, "/metadata/name"));
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

Answered<Json> delete_object(Store& store, Time now, const ServedResource& resource,
                             std::string_view ns, std::string_view name, int grace) {
  const std::shared_ptr<const Json> found = store.get(resource, ns, name);
  if (!found) return not_found(resource.qualified(), name);
  Json object = *found;
  if (&resource == &resource_of(kube::k_namespaces)) {
    return terminate_namespace(store, now, resource, std::move(object));
  }
  const Grace begun = resource.graceful ? begin_grace(object, now, grace) : Grace::none;
  if (begun == Grace::pending) return object;
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

namespace {

std::optional<ApiError> check_preconditions(const ServedResource& resource, const Json& object,
                                            const DeleteOptions& options) {
  const std::string name = text_at(object, "/metadata/name");
  const std::string uid = text_at(object, "/metadata/uid");
  if (!options.uid.empty() && options.uid != uid) {
    return conflict(
        resource.qualified_kind(), name,
        cat("the UID in the precondition (", options.uid, ") does not match the UID in record (",
            uid, "). The object might have been deleted and then recreated"));
  }
  const std::string version = text_at(object, "/metadata/resourceVersion");
  if (!options.resource_version.empty() && options.resource_version != version) {
    return conflict(resource.qualified(), name,
                    cat("the ResourceVersion in the precondition (", options.resource_version,
                        ") does not match the ResourceVersion in record (", version,
                        "). The object might have been modified"));
  }
  return std::nullopt;
}

}  // namespace

Answered<ApiAnswer> remove_object(const ApiParts& parts, const ApiCall& call) {
  auto options = delete_options(call);
  if (auto* error = std::get_if<ApiError>(&options)) return std::move(*error);
  const auto& wanted = std::get<DeleteOptions>(options);
  const ServedResource& resource = *call.resource;
  const auto found = parts.store.get(resource, call.ns, call.name);
  if (!found) return not_found(resource.qualified(), call.name);
  if (auto error = check_preconditions(resource, *found, wanted)) return *std::move(error);
  auto removed =
      delete_object(parts.store, parts.loop.now(), resource, call.ns, call.name, wanted.grace);
  if (auto* error = std::get_if<ApiError>(&removed)) return std::move(*error);
  return answer_with(std::get<Json>(removed));
}

}  // namespace trainctl::local
