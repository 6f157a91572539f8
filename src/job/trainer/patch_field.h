// The name of a TrainJob's patch of its pods, and its fields, in each Trainer version. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/value/json.h"

namespace trainctl::job {

enum class PatchField { runtime_patches, pod_template_overrides, pod_spec_overrides };

struct PatchRules {
  std::string_view name;  // the member of the TrainJob's spec
  std::span<const std::string_view> pod;
  std::span<const std::string_view> container;
  bool metadata;         // labels and annotations of the pods
  bool active_deadline;  // whether a TrainJob of this Trainer has activeDeadlineSeconds
};

const PatchRules& patch_rules(PatchField field);

// The field that a server has, by its OpenAPI v3 document of Trainer's group; nullopt when the
// document has no TrainJob.
std::optional<PatchField> patch_field_of(const Json& openapi);

// A patch's additions to the pods of a replicated job.
struct JobPatch {
  std::string_view replicated_job;
  Json pod_template;
};

// The field's value; without patches that add nothing. Null when none is left.
Json patch_value(PatchField field, std::vector<JobPatch> patches);

}  // namespace trainctl::job
