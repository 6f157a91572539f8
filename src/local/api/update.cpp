// Handles PUT and PATCH: which fields a client may change, and the patches.
#include <array>

#include "base/text/text.h"
#include "local/api/finalizers.h"
#include "local/api/garbage.h"
#include "local/api/patch.h"
#include "local/api/write.h"
#include "local/store/object_form.h"
#include "local/store/store_objects.h"

namespace trainctl::local {

namespace {

using Shared = std::shared_ptr<const Json>;

constexpr std::string_view k_patches_of_core =
    "application/json-patch+json, application/merge-patch+json, "
    "application/strategic-merge-patch+json";
constexpr std::string_view k_patches_of_jobs =
    "application/json-patch+json, application/merge-patch+json";

std::optional<ApiError> check_name(const ApiCall& call, const Json& object) {
  const std::string name = text_at(object, "/metadata/name");
  if (name == call.name) return std::nullopt;
  if (name.empty()) {
    return bad_request(cat("the name of the object (", call.name,
                           " based on URL) was undeterminable: name must be provided"));
  }
  return bad_request(cat("the name of the object (", name, ") does not match the name on the URL (",
                         call.name, ")"));
}

std::optional<ApiError> check_version(const ApiCall& call, const Json& object, const Json& before,
                                      bool must_name_version) {
  const std::string given = text_at(object, "/metadata/resourceVersion");
  if (given.empty() && must_name_version) {
    return invalid(
        call.resource->qualified(), call.name,
        {{"metadata.resourceVersion", "Invalid value: 0: must be specified for an update"}});
  }
  if (!given.empty() && given != text_at(before, "/metadata/resourceVersion")) {
    return modified_meanwhile(*call.resource, call.name);
  }
  const std::string uid = text_at(object, "/metadata/uid");
  const std::string current = text_at(before, "/metadata/uid");
  if (uid.empty() || uid == current) return std::nullopt;
  if (call.request->method == "PATCH") {
    // Reported twice, because the checks of all objects and those of custom resources both find it.
    const FieldFault fault{"metadata.uid", cat("Invalid value: \"", uid, "\": field is immutable")};
    return invalid(call.resource->qualified_kind(), call.name, {fault, fault});
  }
  return conflict(
      call.resource->qualified(), call.name,
      cat("Precondition failed: UID in precondition: ", uid, ", UID in object meta: ", current));
}

// Keeps a field that the server owns, and ignores what the client writes.
void keep(Json& object, const Json& before, std::string_view place) {
  const Json* kept = find(before, place);
  if (kept != nullptr) return set_at(object, place, *kept);
  const Halves steps = split_once(place.substr(1), '/');
  Json& parent = steps.second.empty() ? object : object[steps.first];
  parent.erase(steps.second.empty() ? steps.first : steps.second);
}

Json with_status_of(const Json& before, const Json& object) {
  Json result = before;
  if (const Json* status = find(object, "/status")) {
    result["status"] = *status;
  } else {
    result.erase("status");
  }
  return result;
}

std::optional<ApiError> check_patch_type(const ServedResource& resource, std::string_view type) {
  if (type == "application/json-patch+json" || type == "application/merge-patch+json") return {};
  const bool is_core = resource.job_kind == nullptr;
  if (type == "application/strategic-merge-patch+json" && is_core) return {};
  const std::string_view accepted = is_core ? k_patches_of_core : k_patches_of_jobs;
  // Without field managers, an apply could neither remove a field nor report a conflict.
  if (type.starts_with("application/apply-patch+")) {
    return ApiError{415, "UnsupportedMediaType",
                    cat("the embedded cluster has no server-side apply, because it tracks no field "
                        "managers; it accepts these patch types: ",
                        accepted)};
  }
  return unsupported_media_type(accepted);
}

std::optional<ApiError> check_patch_options(const ApiQuery& query) {
  if (!query.get("force")) return std::nullopt;
  return invalid("PatchOptions.meta.k8s.io", "",
                 {{"force", "Forbidden: may not be specified for non-apply patch"}});
}

// A JSON patch is a list, all others are objects.
Answered<RequestBody> patched_body(const ApiCall& call, const Json& before, std::string_view type) {
  const std::string& text = call.request->body;
  if (type == "application/json-patch+json") {
    if (const auto fault = json_fault(text)) return bad_request("error decoding patch: " + *fault);
    const Result<Json> operations = parse_json(text, "the patch");
    if (!operations) return bad_request(cat("error decoding patch: ", operations.error().message));
    auto object = json_patch(before, *operations);
    if (auto* error = std::get_if<ApiError>(&object)) return std::move(*error);
    return RequestBody{std::get<Json>(std::move(object)), {}};
  }
  if (const auto fault = json_fault(text)) return bad_request("error decoding patch: " + *fault);
  auto patch = read_object(call.resource->resource.kind, text, false);
  if (auto* error = std::get_if<ApiError>(&patch)) return std::move(*error);
  RequestBody& body = std::get<RequestBody>(patch);
  Json object = before;
  if (type == "application/merge-patch+json") {
    merge_patch(object, body.object);
  } else {
    strategic_patch(object, body.object);
  }
  return RequestBody{std::move(object), std::move(body.duplicates)};
}

}  // namespace

Answered<ApiAnswer> replace_object(const ApiParts& parts, const ApiCall& call, const View& view) {
  auto options = write_options(call.query, "UpdateOptions");
  if (auto* error = std::get_if<ApiError>(&options)) return std::move(*error);
  auto body =
      read_body(call.resource->resource.kind, call.request->content_type, call.request->body);
  if (auto* error = std::get_if<ApiError>(&body)) return std::move(*error);
  return update_from(parts, call, view, std::get<WriteOptions>(options),
                     std::get<RequestBody>(std::move(body)), call.resource->job_kind != nullptr);
}

Answered<ApiAnswer> update_from(const ApiParts& parts, const ApiCall& call, const View& view,
                                const WriteOptions& options, RequestBody body,
                                bool must_name_version) {
  const ServedResource& resource = *call.resource;
  if (auto error = complete_identity(call, body.object)) return *std::move(error);
  if (auto error = check_name(call, body.object)) return *std::move(error);
  const Shared before = parts.store.get(resource, call.ns, call.name);
  if (!before) return not_found(resource.qualified(), call.name);
  if (auto error = check_version(call, body.object, *before, must_name_version)) {
    return *std::move(error);
  }
  Admitted accepted;
  if (call.subresource == "status") {
    accepted.object = with_status_of(*before, body.object);
  } else {
    auto admitted =
        admit(resource, std::move(body.object), before.get(), options.validation, body.duplicates);
    if (auto* error = std::get_if<ApiError>(&admitted)) return std::move(*error);
    accepted = std::get<Admitted>(std::move(admitted));
    if (resource.has_status) keep(accepted.object, *before, "/status");
    for (const char* place :
         {"/metadata/uid", "/metadata/creationTimestamp", "/metadata/generation",
          "/metadata/resourceVersion", "/metadata/deletionTimestamp",
          "/metadata/deletionGracePeriodSeconds"}) {
      keep(accepted.object, *before, place);
    }
  }
  if (options.dry_run) {
    return written(parts, call, view, in_server_order(resource, std::move(accepted.object)), 200,
                   accepted.warnings);
  }
  auto stored = update_or_finish(parts.store, resource, std::move(accepted.object));
  if (auto* error = std::get_if<ApiError>(&stored)) return std::move(*error);
  return written(parts, call, view, std::get<Json>(std::move(stored)), 200, accepted.warnings);
}

Answered<ApiAnswer> patch_object(const ApiParts& parts, const ApiCall& call, const View& view) {
  const ServedResource& resource = *call.resource;
  const std::string type = media_type(call.request->content_type);
  if (auto error = check_patch_type(resource, type)) return *std::move(error);
  auto options = write_options(call.query, "PatchOptions");
  if (auto* error = std::get_if<ApiError>(&options)) return std::move(*error);
  if (auto error = check_patch_options(call.query)) return *std::move(error);

  const Shared before = parts.store.get(resource, call.ns, call.name);
  if (!before) return not_found(resource.qualified(), call.name);
  auto body = patched_body(call, *before, type);
  if (auto* error = std::get_if<ApiError>(&body)) return std::move(*error);
  return update_from(parts, call, view, std::get<WriteOptions>(options),
                     std::get<RequestBody>(std::move(body)), false);
}

}  // namespace trainctl::local
