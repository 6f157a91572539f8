// Splits a v1 pod template into the fields of a TrainJob's trainer, the fields it may patch, and
// the rest.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// The name of a TrainJob's patch of its pods, and its fields, in each Trainer version. Pure.
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

struct PodSplit {
  Json trainer = Json::object();  // image, command, args, env, resourcesPerNode
  Json patch = Json::object();    // a pod template of the fields that Trainer lets a TrainJob patch
  Json rest = Json::object();     // a pod template of all others, which only a runtime can hold

  // The rest without what is of no use: a TrainJob that fails deletes its pods, so that nobody
  // reads the last words in their status.
  Json needed_rest() const;
  // The pod template that a runtime of the job's own holds.
  Json runtime_template() const;
};

// `replica` is an entry of the replica map; the training container becomes the container "node".
PodSplit split_pod(const Kind& kind, const Json& replica, const PatchRules& rules);

// Turns a command without arguments into `env PROGRAM`: a runtime's arguments follow a command that
// has none, and an empty list does not stop them (Kueue drops it). False if there was no need.
// Code::usage for a name that env would take for a variable or an option.
Result<bool> start_through_env(Json& trainer);

}  // namespace trainctl::job
