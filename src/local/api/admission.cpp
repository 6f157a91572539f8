// The checks that an object passes before it is stored, in the API server's order.
#include "local/api/admission.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/schema.h"
#include "local/api/core_defaults.h"
#include "local/api/core_rules.h"
#include "local/api/object_meta.h"
#include "local/api/scale_check.h"
#include "local/api/schema_check.h"
#include "local/api/schema_decode.h"
#include "local/api/webhook.h"

namespace trainctl::local {

using job::ObjectShape;

namespace {

using Faults = std::vector<FieldFault>;

constexpr std::string_view k_unchecked =
    "Invalid value: null: some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation";

ApiError undecodable(const ServedResource& resource, std::string_view why) {
  const kube::Resource& kind = resource.resource;
  return bad_request(cat(kind.kind, " in version \"", kind.version, "\" cannot be handled as a ",
                         kind.kind, ": ", why));
}

// Orders unknown fields as for custom resources: metadata first, then the schema's paths; core
// objects need no ordering.
void order_as_job(std::vector<std::string>& unknown) {
  const auto rest =
      std::stable_partition(unknown.begin(), unknown.end(),
                            [](const std::string& path) { return path.starts_with("metadata."); });
  std::sort(rest, unknown.end());
}

// The errors of strict decoding: `duplicate field "a"`, `unknown field "b"`.
std::vector<std::string> complaints(const ServedResource& resource, const ObjectShape& shape,
                                    Json& object, const std::vector<std::string>& duplicates) {
  const bool is_job = resource.job_kind != nullptr;
  std::vector<std::string> unknown = prune_unknown(object, shape, is_job);
  if (is_job) order_as_job(unknown);
  std::vector<std::string> texts;
  for (const std::string& path : duplicates) texts.push_back(cat("duplicate field \"", path, '"'));
  for (const std::string& path : unknown) texts.push_back(cat("unknown field \"", path, '"'));
  return texts;
}

// For a job, the server decodes only the metadata into Go types; the schema checks the rest.
std::optional<std::string> misfit(const ServedResource& resource, const ObjectShape& shape,
                                  const Json& object) {
  if (resource.job_kind == nullptr || !object.is_object()) return decode_fault(object, shape);
  const Json* metadata = find(object, "/metadata");
  const ObjectShape* meta_shape = job::schema().find("ObjectMeta");
  if (metadata == nullptr || meta_shape == nullptr) return std::nullopt;
  return decode_fault(*metadata, *meta_shape);
}

// True for faults after which the server no longer evaluates the schema's rules.
bool blocks_rules(const FieldFault& fault) {
  for (const std::string_view begin : {"Required value", "Unsupported value", "Too long"}) {
    if (fault.message.starts_with(begin)) return true;
  }
  return fault.message.find(" in body must be of type ") != std::string::npos;
}

// The only rule in the operator's schemas: a queue cannot be changed once set.
void queue_fault(Faults& faults, const job::Kind& kind, const Json& object, const Json& before) {
  const std::string pointer = cat(kind.controller.run_policy, "/schedulingPolicy/queue");
  const Json* now = find(object, pointer);
  const Json* then = find(before, pointer);
  if (now == nullptr || then == nullptr || *now == *then) return;
  constexpr std::string_view k_queue = "spec.runPolicy.schedulingPolicy.queue";
  faults.push_back(invalid_value(k_queue, "string", cat(k_queue, " is immutable")));
}

Faults job_faults(const ServedResource& resource, const ObjectShape& shape, const Json& object,
                  const Json* before) {
  Json judged = object;
  if (before == nullptr) judged.erase("status");  // a new job's status is dropped without a check
  Faults faults = before == nullptr ? created_meta_faults(object, name_rule_of(resource))
                                    : updated_meta_faults(object, *before);
  append(faults, type_faults(judged, shape));
  append(faults, scale_faults(resource, object));
  append(faults, duplicate_faults(judged, shape));
  if (std::ranges::any_of(faults, blocks_rules)) {
    faults.push_back({"<nil>", std::string(k_unchecked)});
  } else if (before != nullptr) {
    queue_fault(faults, *resource.job_kind, object, *before);
  }
  return faults;
}

// A new pod is checked later (pod_check.h), after the plugins that may forbid it.
Faults object_faults(const ServedResource& resource, const Json& object, const Json* before) {
  if (before == nullptr && resource.resource.plural == kube::k_pods.plural) return {};
  Faults faults = before == nullptr ? created_meta_faults(object, name_rule_of(resource))
                                    : updated_meta_faults(object, *before);
  append(faults, core_faults(resource, object));
  return faults;
}

}  // namespace

Answered<Admitted> admit(const ServedResource& resource, Json object, const Json* before,
                         FieldValidation validation, const std::vector<std::string>& duplicates) {
  const ObjectShape* shape = job::schema().find(resource.resource.kind);
  if (shape == nullptr) return undecodable(resource, "its schema is missing");
  const bool is_job = resource.job_kind != nullptr;
  if (auto why = misfit(resource, *shape, object)) return undecodable(resource, *why);

  Admitted admitted;
  std::vector<std::string> texts = complaints(resource, *shape, object, duplicates);
  if (validation == FieldValidation::strict && !texts.empty()) {
    return undecodable(resource, cat("strict decoding error: ", join(texts, ", ")));
  }
  if (validation == FieldValidation::warn) admitted.warnings = std::move(texts);

  compact_metadata(object);
  drop_nulls(object, *shape, is_job);
  if (is_job) {
    apply_defaults(object, *shape);
  } else {
    apply_core_defaults(resource, object);
  }

  const Faults faults = is_job ? job_faults(resource, *shape, object, before)
                               : object_faults(resource, object, before);
  if (!faults.empty()) {
    return invalid(resource.qualified_kind(), text_at(object, "/metadata/name"), faults);
  }
  if (is_job) {
    write_whole_numbers(object);
    for (std::string& warning : finalizer_warnings(object, before)) {
      admitted.warnings.push_back(std::move(warning));
    }
    WebhookAnswer answer = ask_webhook(*resource.job_kind, object, before);
    for (std::string& warning : answer.warnings) admitted.warnings.push_back(std::move(warning));
    if (!answer.denial.empty()) {
      ApiError denied{403, "Forbidden", answer.denial};
      denied.warnings = std::move(admitted.warnings);
      return denied;
    }
  }
  admitted.object = std::move(object);
  return admitted;
}

}  // namespace trainctl::local
