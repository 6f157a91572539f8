// Handles POST: names, namespaces, admission, and the fields that the server sets.
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

bool is_pod(const ServedResource& resource) {
  return &resource == &resource_of(kube::k_pods);
}

ApiError being_terminated(const ApiCall& call, const std::string& name) {
  const std::string resource = call.resource->qualified();
  ApiError error = not_found(resource, name);
  error.code = 403;
  error.reason = "Forbidden";
  error.message = cat(resource, " \"", name, "\" is forbidden: unable to create new content in ",
                      "namespace ", call.ns, " because it is being terminated");
  error.details["causes"] =
      Json::array({{{"reason", "NamespaceTerminating"},
                    {"message", cat("namespace ", call.ns, " is being terminated")},
                    {"field", "metadata.namespace"}}});
  return error;
}

std::optional<ApiError> check_namespace(const Store& store, const ApiCall& call,
                                        const std::string& name) {
  if (!call.resource->namespaced) return std::nullopt;
  const auto ns = store.get(resource_of(kube::k_namespaces), "", call.ns);
  if (!ns) return not_found("namespaces", call.ns);
  if (kube::is_being_deleted(*ns)) return being_terminated(call, name);
  return std::nullopt;
}

void choose_name(const Store& store, const ApiCall& call, Json& object) {
  const std::string prefix = text_at(object, "/metadata/generateName");
  if (prefix.empty() || !text_at(object, "/metadata/name").empty()) return;
  std::string name;
  do {
    name = prefix.substr(0, kube::k_generated_stem) + name_suffix();
  } while (store.get(*call.resource, call.ns, name));
  set_at(object, "/metadata/name", name);
}

// Removes fields that only the server may set.
void reset(const ServedResource& resource, Json& object) {
  Json& metadata = object["metadata"];
  for (const char* field : {"uid", "creationTimestamp", "deletionTimestamp",
                            "deletionGracePeriodSeconds", "generation", "resourceVersion"}) {
    metadata.erase(field);
  }
  if (is_pod(resource)) set_pod_defaults(object);
  if (auto birth = parse_json(resource.at_birth, "row")) {
    birth->merge_patch(object);
    object = *std::move(birth);
  }
}

Answered<Json> dry_run(const ApiParts& parts, const ApiCall& call, Json object) {
  const std::string name = text_at(object, "/metadata/name");
  if (const auto taken = parts.store.get(*call.resource, call.ns, name)) {
    return name_taken(*call.resource, *taken);
  }
  set_birth(*call.resource, object, parts.loop.now());
  return object;
}

// Checks that kind, apiVersion and namespace of a body agree with the path, and fills in missing
// ones.
std::optional<ApiError> complete_identity(const ApiCall& call, Json& object) {
  const ServedResource& resource = *call.resource;
  for (const auto& [field, wanted] : {std::pair{"apiVersion", resource.resource.api_version()},
                                      std::pair{"kind", std::string(resource.resource.kind)}}) {
    const Json* given = find(object, cat('/', field));
    if (given == nullptr) object[field] = wanted;
    if (object[field] != wanted) return bad_request(cat(field, " is not ", wanted));
  }
  if (!object.contains("metadata")) object["metadata"] = Json::object();
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) return bad_request("metadata is no object");
  metadata.erase("managedFields");
  if (!resource.namespaced) {
    metadata.erase("namespace");
    return std::nullopt;
  }
  const std::string ns = text_at(metadata, "/namespace", call.ns);
  if (!ns.empty() && ns != call.ns) {
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata["namespace"] = call.ns;
  return std::nullopt;
}

}  // namespace

Answered<ApiAnswer> create_object(const ApiParts& parts, const ApiCall& call) {
  const ServedResource& resource = *call.resource;
  auto body = body_of(*call.request);
  if (auto* error = std::get_if<ApiError>(&body)) return std::move(*error);
  Json object = std::get<Json>(std::move(body));
  if (auto error = complete_identity(call, object)) return *std::move(error);
  choose_name(parts.store, call, object);
  const std::string name = text_at(object, "/metadata/name");
  object.erase("status");
  if (auto error = admit(resource, object)) return *std::move(error);
  if (auto error = check_namespace(parts.store, call, name)) return *std::move(error);
  reset(resource, object);
  if (is_pod(resource)) {
    if (auto error = pod_refusal(parts.store, object)) return *std::move(error);
  }
  const bool dry = call.query.get("dryRun").has_value();
  Answered<Json> stored = dry ? dry_run(parts, call, std::move(object))
                              : parts.store.create(resource, std::move(object));
  if (auto* error = std::get_if<ApiError>(&stored)) return std::move(*error);
  const bool is_namespace = &resource == &resource_of(kube::k_namespaces);
  if (is_namespace && !dry) populate_namespace(parts.store, name);
  return answer_with(std::get<Json>(stored), 201);
}

}  // namespace trainctl::local
