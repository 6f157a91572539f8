// The rows are PodSpecPatch, PodTemplateOverride and PodSpecOverride of
// pkg/apis/trainer/v1alpha1/trainjob_types.go in Trainer 2.3, 2.1 and 2.0.
#include "job/trainer/patch_field.h"

#include <array>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

using Text = std::string_view;

constexpr std::array<Text, 9> k_pod_2_2 = {
    "serviceAccountName", "volumes",         "imagePullSecrets",
    "securityContext",    "nodeSelector",    "affinity",
    "tolerations",        "schedulingGates", "terminationGracePeriodSeconds"};
constexpr std::array<Text, 2> k_container_2_2 = {"volumeMounts", "securityContext"};
constexpr std::array<Text, 7> k_pod_2_1 = {"serviceAccountName", "volumes",  "imagePullSecrets",
                                           "nodeSelector",       "affinity", "tolerations",
                                           "schedulingGates"};
constexpr std::array<Text, 5> k_pod_2_0 = {"serviceAccountName", "volumes", "nodeSelector",
                                           "tolerations", "schedulingGates"};
constexpr std::array<Text, 1> k_container_2_0 = {"volumeMounts"};

// In the order of PatchField.
constexpr std::array<PatchRules, 3> k_rules = {{
    {"runtimePatches", k_pod_2_2, k_container_2_2, true, true},
    {"podTemplateOverrides", k_pod_2_1, k_container_2_0, true, false},
    {"podSpecOverrides", k_pod_2_0, k_container_2_0, false, false},
}};

}  // namespace

const PatchRules& patch_rules(PatchField field) {
  return k_rules[static_cast<std::size_t>(field)];
}

std::optional<PatchField> patch_field_of(const Json& openapi) {
  for (const auto& [key, schema] : object_at(openapi, "/components/schemas").items()) {
    if (!std::string_view(key).ends_with(".TrainJob")) continue;
    const Json& fields = object_at(schema, "/properties/spec/properties");
    for (std::size_t i = 0; i < k_rules.size(); ++i) {
      if (fields.contains(k_rules[i].name)) return static_cast<PatchField>(i);
    }
  }
  return std::nullopt;
}

Json patch_value(PatchField field, std::vector<JobPatch> patches) {
  std::erase_if(patches, [](const JobPatch& patch) { return patch.pod_template.empty(); });
  if (patches.empty()) return nullptr;
  if (field == PatchField::runtime_patches) {
    Json jobs = Json::array();
    for (const auto& [name, pod_template] : patches) {
      jobs.push_back({{"name", name}, {"template", {{"spec", {{"template", pod_template}}}}}});
    }
    Json patch = {{"manager", "trainctl.io/cli"}};
    patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"] = std::move(jobs);
    return Json::array({std::move(patch)});
  }
  Json value = Json::array();
  for (const auto& [name, pod_template] : patches) {
    Json patch = {{"targetJobs", Json::array({{{"name", name}}})}};
    patch.update(field == PatchField::pod_spec_overrides ? object_at(pod_template, "/spec")
                                                         : pod_template);
    value.push_back(std::move(patch));
  }
  return value;
}

}  // namespace trainctl::job
