// Names, namespaces and admission of new objects, the fields that the server sets or clients may
// change, and deletions.
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

// The objects that every cluster and every namespace has from the beginning.

// Creates the service account "default" and the ConfigMap "kube-root-ca.crt".
void populate_namespace(Store& store, std::string_view ns);

namespace {

constexpr std::string_view k_certificate_note =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters.";

void create_if_missing(Store& store, std::string_view plural, std::string_view ns, Json object) {
  const ServedResource* resource = find_resource("", "v1", plural);
  if (resource == nullptr || store.get(*resource, ns, text_at(object, "/metadata/name"))) return;
  (void)store.create(*resource, std::move(object));
}

}  // namespace

void populate_namespace(Store& store, std::string_view ns) {
  create_if_missing(store, "serviceaccounts", ns,
                    {{"metadata", {{"name", "default"}, {"namespace", ns}}}});
  create_if_missing(store, "configmaps", ns,
                    {{"metadata",
                      {{"name", "kube-root-ca.crt"},
                       {"namespace", ns},
                       {"annotations", {{"kubernetes.io/description", k_certificate_note}}}}},
                     {"data", {{"ca.crt", ""}}}});
}

void seed(Store& store) {
  for (const char* name : {"default", "kube-system"}) {
    Json ns = {{"metadata", {{"name", name}}}};
    set_at(ns, "/metadata/labels/kubernetes.io~1metadata.name", name);
    if (auto birth = parse_json(resource_of(kube::k_namespaces).at_birth, "row")) {
      ns.merge_patch(*birth);
    }
    create_if_missing(store, "namespaces", "", std::move(ns));
    populate_namespace(store, name);
  }
}

// Handles POST: names, namespaces, admission, and the fields that the server sets.

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

// Handles PATCH: which fields a client may change.

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
