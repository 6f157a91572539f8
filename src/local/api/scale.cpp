// Converts a job to a Scale, and changes a job through one.
#include "local/api/scale.h"

#include <algorithm>

#include "base/text/text.h"
#include "local/api/body.h"
#include "local/api/options.h"
#include "local/api/patch.h"
#include "local/store/store_objects.h"

namespace trainctl::local {

namespace {

std::string count_place(const ServedResource& resource) {
  return cat(resource.job_kind->replica_specs, "/Worker/replicas");
}

Answered<Json> scale_of(const ServedResource& resource, const Json& job) {
  const std::string place = count_place(resource);
  const auto wanted = int_at(job, place);
  if (!wanted) {
    std::string path = place;
    std::replace(path.begin(), path.end(), '/', '.');
    return ApiError{
        500, "InternalError",
        cat("Internal error occurred: the spec replicas field \"", path, "\" does not exist")};
  }
  Json metadata = Json::object();
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    metadata[field] = text_at(job, cat("/metadata/", field));
  }
  Json status = {{"replicas", int_at(job, "/status/replicaStatuses/Worker/active").value_or(0)}};
  const std::string selector = text_at(job, "/status/replicaStatuses/Worker/selector");
  if (!selector.empty()) status["selector"] = selector;
  return Json{{"kind", "Scale"},
              {"apiVersion", "autoscaling/v1"},
              {"metadata", std::move(metadata)},
              {"spec", {{"replicas", *wanted}}},
              {"status", std::move(status)}};
}

Answered<ApiAnswer> answer_scale(const ServedResource& resource, const Json& job,
                                 const View& view) {
  auto scale = scale_of(resource, job);
  if (auto* error = std::get_if<ApiError>(&scale)) return std::move(*error);
  return answer_with(std::get<Json>(scale), 200, {AnswerShape::whole, view.yaml, ""});
}

// The Scale that a client requests: the body of a PUT, or the present one with a PATCH applied.
Answered<Json> wanted_scale(const ApiCall& call, const Json& job) {
  const std::string type = media_type(call.request->content_type);
  auto present = scale_of(*call.resource, job);
  if (std::holds_alternative<ApiError>(present)) return present;
  const std::string& text = call.request->body;
  if (call.request->method == "PATCH" && type == "application/json-patch+json") {
    const Result<Json> operations = parse_json(text, "the patch");
    if (!operations) return bad_request(cat("error decoding patch: ", operations.error().message));
    return json_patch(std::get<Json>(std::move(present)), *operations);
  }
  const bool patches = call.request->method == "PATCH";
  auto body = patches ? read_object("Scale", text, false)
                      : read_body("Scale", call.request->content_type, text);
  if (auto* error = std::get_if<ApiError>(&body)) return std::move(*error);
  Json given = std::get<RequestBody>(std::move(body)).object;
  if (!patches) return given;
  if (type != "application/merge-patch+json") {
    return unsupported_media_type("application/json-patch+json, application/merge-patch+json");
  }
  merge_patch(std::get<Json>(present), given);
  return present;
}

}  // namespace

Answered<ApiAnswer> read_scale(const ApiParts& parts, const ApiCall& call, const View& view) {
  const auto job = parts.store.get(*call.resource, call.ns, call.name);
  if (!job) return not_found(call.resource->qualified(), call.name);
  return answer_scale(*call.resource, *job, view);
}

Answered<ApiAnswer> write_scale(const ApiParts& parts, const ApiCall& call, const View& view) {
  auto options = write_options(call.query, "UpdateOptions");
  if (auto* error = std::get_if<ApiError>(&options)) return std::move(*error);
  const auto job = parts.store.get(*call.resource, call.ns, call.name);
  if (!job) return not_found(call.resource->qualified(), call.name);
  auto wanted = wanted_scale(call, *job);
  if (auto* error = std::get_if<ApiError>(&wanted)) return std::move(*error);
  const Json& scale = std::get<Json>(wanted);

  const std::string version = text_at(scale, "/metadata/resourceVersion");
  if (!version.empty() && version != text_at(*job, "/metadata/resourceVersion")) {
    return modified_meanwhile(*call.resource, call.name);
  }
  const std::int64_t count = int_at(scale, "/spec/replicas").value_or(0);
  if (count < 0) {
    return invalid(
        "Scale.autoscaling", call.name,
        {{"spec.replicas", cat("Invalid value: ", count, ": must be greater than or equal to 0")}});
  }
  Json changed = *job;
  set_at(changed, count_place(*call.resource), count);
  if (std::get<WriteOptions>(options).dry_run) return answer_scale(*call.resource, changed, view);
  auto stored = parts.store.update(*call.resource, std::move(changed));
  if (auto* error = std::get_if<ApiError>(&stored)) return std::move(*error);
  return answer_scale(*call.resource, std::get<Json>(stored), view);
}

}  // namespace trainctl::local
