// Handles PATCH: which fields a client may change.
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "local/api/admission.h"
#include "local/api/api.h"
#include "local/api/garbage.h"
#include "local/api/handlers.h"
#include "local/api/pod_rules.h"
#include "local/api/query.h"
#include "local/store/object_form.h"
#include "local/store/store.h"

namespace trainctl::local {
namespace {

std::optional<ApiError> check_identity(const ApiCall& call, const Json& object,
                                       const Json& before) {
  if (text_at(object, "/metadata/name") != call.name) {
    return bad_request(cat("metadata.name is not ", call.name));
  }
  const std::string version = text_at(before, "/metadata/resourceVersion");
  if (text_at(object, "/metadata/resourceVersion", version) != version) {
    return modified_meanwhile(*call.resource, call.name);
  }
  const std::string uid = text_at(before, "/metadata/uid");
  if (text_at(object, "/metadata/uid", uid) == uid) return std::nullopt;
  return invalid(call.resource->qualified_kind(), call.name,
                 {{"metadata.uid", "field is immutable"}});
}

// Keeps a field that the server owns, and ignores what the client writes.
void keep(Json& object, const Json& before, std::string_view place) {
  const Json* kept = find(before, place);
  if (kept != nullptr) return set_at(object, place, *kept);
  const Halves steps = split_once(place.substr(1), '/');
  Json& parent = steps.second.empty() ? object : object[steps.first];
  parent.erase(steps.second.empty() ? steps.first : steps.second);
}

}  // namespace

Answered<ApiAnswer> patch_object(const ApiParts& parts, const ApiCall& call) {
  const ServedResource& resource = *call.resource;
  auto patch = body_of(*call.request, "application/merge-patch+json");
  if (auto* error = std::get_if<ApiError>(&patch)) return std::move(*error);
  const auto before = parts.store.get(resource, call.ns, call.name);
  if (!before) return not_found(resource.qualified(), call.name);
  Json object = *before;
  object.merge_patch(std::get<Json>(patch));
  if (auto error = complete_identity(call, object)) return *std::move(error);
  if (auto error = check_identity(call, object, *before)) return *std::move(error);
  object.erase("status");
  if (auto error = admit(resource, object)) return *std::move(error);
  for (const char* place :
       {"/status", "/metadata/uid", "/metadata/creationTimestamp", "/metadata/generation",
        "/metadata/resourceVersion", "/metadata/deletionTimestamp",
        "/metadata/deletionGracePeriodSeconds"}) {
    keep(object, *before, place);
  }
  if (call.query.get("dryRun")) return answer_with(object);
  auto stored = update_or_finish(parts.store, resource, std::move(object));
  if (auto* error = std::get_if<ApiError>(&stored)) return std::move(*error);
  return answer_with(std::get<Json>(stored));
}

}  // namespace trainctl::local
