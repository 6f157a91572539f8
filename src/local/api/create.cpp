// Handles POST: names, namespaces, admission, and the fields that the server sets.
#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "local/api/patch.h"
#include "local/api/pod_check.h"
#include "local/api/pod_defaults.h"
#include "local/api/seed.h"
#include "local/api/write.h"
#include "local/store/object_form.h"
#include "local/store/store_objects.h"

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
  if (resource.has_status) object.erase("status");
  if (is_pod(resource)) set_pod_defaults(object);
  if (auto birth = parse_json(resource.at_birth, "row")) {
    merge_patch(*birth, object);
    object = *std::move(birth);
  }
}

// A dry run keeps the resourceVersion that was sent, which a real creation refuses.
Answered<Json> dry_run(const ApiParts& parts, const ApiCall& call, Json object,
                       const std::string& version) {
  const std::string name = text_at(object, "/metadata/name");
  if (const auto taken = parts.store.get(*call.resource, call.ns, name)) {
    return name_taken(*call.resource, *taken);
  }
  set_birth(*call.resource, object, parts.loop.now());
  if (!version.empty()) set_at(object, "/metadata/resourceVersion", version);
  return in_server_order(*call.resource, std::move(object));
}

// For a job in a version that is not served, the decoder knows only the metadata, and its error
// comes before the comparison of versions.
ApiError in_another_version(const ServedResource& resource, const Json& object,
                            FieldValidation validation, ApiError error) {
  const std::string api_version = text_at(object, "/apiVersion");
  if (resource.job_kind == nullptr || api_version == resource.resource.api_version()) return error;
  std::vector<std::string> texts;
  for (const auto& [key, value] : object.items()) {
    const bool known = key == "apiVersion" || key == "kind" || key == "metadata";
    if (!known) texts.push_back(cat("unknown field \"", key, '"'));
  }
  std::ranges::sort(texts);
  if (validation == FieldValidation::strict && !texts.empty()) {
    const std::string version = api_version.substr(api_version.find('/') + 1);
    const std::string_view kind = resource.resource.kind;
    return bad_request(cat(kind, " in version \"", version, "\" cannot be handled as a ", kind,
                           ": strict decoding error: ", join(texts, ", ")));
  }
  if (validation == FieldValidation::warn) error.warnings = std::move(texts);
  return error;
}

}  // namespace

Answered<ApiAnswer> create_object(const ApiParts& parts, const ApiCall& call, const View& view) {
  auto options = write_options(call.query, "CreateOptions");
  if (auto* error = std::get_if<ApiError>(&options)) return std::move(*error);
  auto body =
      read_body(call.resource->resource.kind, call.request->content_type, call.request->body);
  if (auto* error = std::get_if<ApiError>(&body)) return std::move(*error);
  RequestBody& read = std::get<RequestBody>(body);
  if (auto error = refuse_untyped(*call.resource, read.object, call.request->body)) {
    return *std::move(error);
  }
  return create_from(parts, call, view, std::get<WriteOptions>(options), std::move(read));
}

Answered<ApiAnswer> create_from(const ApiParts& parts, const ApiCall& call, const View& view,
                                const WriteOptions& options, RequestBody body) {
  const ServedResource& resource = *call.resource;
  if (auto error = complete_identity(call, body.object)) {
    return in_another_version(resource, body.object, options.validation, *std::move(error));
  }
  choose_name(parts.store, call, body.object);
  const std::string name = text_at(body.object, "/metadata/name");
  const std::string version = text_at(body.object, "/metadata/resourceVersion");

  // The order is decoding, then the namespace, then the rest of admission.
  auto admitted =
      admit(resource, std::move(body.object), nullptr, options.validation, body.duplicates);
  ApiError* refusal = std::get_if<ApiError>(&admitted);
  if (refusal != nullptr && refusal->code == 400) return std::move(*refusal);
  if (auto error = check_namespace(parts.store, call, name)) return *std::move(error);
  if (refusal != nullptr) return std::move(*refusal);
  if (!version.empty() && version != "0" && !options.dry_run) {
    return ApiError{500, "", "resourceVersion should not be set on objects to be created"};
  }
  Admitted accepted = std::get<Admitted>(std::move(admitted));
  reset(resource, accepted.object);
  if (is_pod(resource)) {
    if (auto error = pod_refusal(parts.store, accepted.object)) return *std::move(error);
  }
  Answered<Json> stored = options.dry_run
                              ? dry_run(parts, call, std::move(accepted.object), version)
                              : parts.store.create(resource, std::move(accepted.object));
  if (auto* error = std::get_if<ApiError>(&stored)) return std::move(*error);
  Json object = std::get<Json>(std::move(stored));
  const bool is_namespace = &resource == &resource_of(kube::k_namespaces);
  if (is_namespace && !options.dry_run) populate_namespace(parts.store, name);
  return written(parts, call, view, std::move(object), 201, accepted.warnings);
}

}  // namespace trainctl::local
