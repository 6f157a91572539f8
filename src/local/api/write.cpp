// The common part of POST, PUT and PATCH: checks that the body fits the path, and builds the
// answer.
#include "local/api/write.h"

#include "base/text/text.h"
#include "local/store/object_form.h"

namespace trainctl::local {

namespace {

// The message comes from Go's type switch for core kinds, and from the custom resource's own check
// for jobs.
ApiError other_kind(const ServedResource& resource, const Json& object, std::string_view kind) {
  const kube::Resource& expected = resource.resource;
  if (resource.job_kind != nullptr) {
    return invalid(cat(kind, '.', expected.group), text_at(object, "/metadata/name"),
                   {{"kind", cat("Invalid value: \"", kind, "\": must be ", expected.kind)}});
  }
  return bad_request(cat(kind, " in version \"", expected.version, "\" cannot be handled as a ",
                         expected.kind, ": converting (", expected.version, '.', kind,
                         ") to (core.", expected.kind, "): unknown conversion"));
}

}  // namespace

std::optional<ApiError> complete_identity(const ApiCall& call, Json& object) {
  const ServedResource& resource = *call.resource;
  const std::string expected = resource.resource.api_version();
  const std::string api_version = text_at(object, "/apiVersion", expected);
  const std::string kind = text_at(object, "/kind", resource.resource.kind);
  if (api_version != expected) {
    return bad_request(cat("the API version in the data (", api_version,
                           ") does not match the expected API version (", expected, ")"));
  }
  if (kind != resource.resource.kind) return other_kind(resource, object, kind);
  set_at(object, "/apiVersion", api_version);
  set_at(object, "/kind", kind);

  const Json* metadata = find(object, "/metadata");
  if (metadata != nullptr && !metadata->is_object() && !metadata->is_null()) return std::nullopt;
  if (metadata == nullptr || metadata->is_null()) object["metadata"] = Json::object();
  Json& fields = object["metadata"];
  for (const char* unsupported : {"managedFields", "selfLink"}) fields.erase(unsupported);
  if (!resource.namespaced) {
    fields.erase("namespace");
    return std::nullopt;
  }
  const Json* ns = find(fields, "/namespace");
  const std::string given = ns == nullptr ? "" : text_at(*ns, "");
  if (!given.empty() && given != call.ns) {
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  if (ns == nullptr || ns->is_null() || ns->is_string()) fields["namespace"] = call.ns;
  return std::nullopt;
}

ApiAnswer written(const ApiParts& parts, const ApiCall& call, const View& view, Json object,
                  int code, const std::vector<std::string>& warnings) {
  const auto shared = std::make_shared<const Json>(std::move(object));
  ApiAnswer answer =
      answer_with(one_as(view, *call.resource, shared, parts.loop.now()), code, view);
  add_warnings(answer, warnings);
  return answer;
}

}  // namespace trainctl::local
