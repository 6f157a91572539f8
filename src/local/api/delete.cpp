// Handles DELETE and its preconditions.
#include "local/api/delete.h"

#include "base/text/text.h"
#include "local/api/garbage.h"
#include "local/api/options.h"

namespace trainctl::local {

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

Answered<Json> remove_one(const ApiParts& parts, const ServedResource& resource,
                          std::string_view ns, std::string_view name,
                          const DeleteOptions& options) {
  const auto found = parts.store.get(resource, ns, name);
  if (!found) return not_found(resource.qualified(), name);
  if (auto error = check_preconditions(resource, *found, options)) return *std::move(error);
  return delete_object(parts.store, parts.loop.now(), resource, ns, name, options.grace,
                       options.propagation);
}

}  // namespace

Answered<ApiAnswer> remove_object(const ApiParts& parts, const ApiCall& call) {
  auto options = delete_options(call);
  if (auto* error = std::get_if<ApiError>(&options)) return std::move(*error);
  auto removed =
      remove_one(parts, *call.resource, call.ns, call.name, std::get<DeleteOptions>(options));
  if (auto* error = std::get_if<ApiError>(&removed)) return std::move(*error);
  return answer_with(std::get<Json>(removed));
}

Answered<ApiAnswer> remove_collection(const ApiParts& parts, const ApiCall& call) {
  auto options = delete_options(call);
  if (auto* error = std::get_if<ApiError>(&options)) return std::move(*error);
  auto listed = list_options(call);
  if (auto* error = std::get_if<ApiError>(&listed)) return std::move(*error);
  const Selection& selection = std::get<ListOptions>(listed).selection;

  Json removed = Json::array();
  for (const auto& object : parts.store.list(*call.resource, call.ns)) {
    if (!selection.matches(*object)) continue;
    auto answer = remove_one(parts, *call.resource, text_at(*object, "/metadata/namespace"),
                             text_at(*object, "/metadata/name"), std::get<DeleteOptions>(options));
    const ApiError* error = std::get_if<ApiError>(&answer);
    if (error != nullptr && error->code >= 500) return *error;
    if (error == nullptr) removed.push_back(*object);
  }
  return answer_with({{"kind", cat(call.resource->resource.kind, "List")},
                      {"apiVersion", call.resource->resource.api_version()},
                      {"metadata", {{"resourceVersion", std::to_string(parts.store.version())}}},
                      {"items", std::move(removed)}});
}

}  // namespace trainctl::local
