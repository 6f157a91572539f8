// Moves fields out of the template, so that none can be forgotten: the fields that stay are the
// rest.
#include "trainer/pod_split.h"

#include <array>
#include <utility>

#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/quantity.h"
#include "manifest/manifest.h"
#include "manifest/merge.h"
#include "trainer/framework.h"

namespace trainctl::job {

namespace {

using Text = std::string_view;

// PodSpecPatch, PodTemplateOverride and PodSpecOverride of
// pkg/apis/trainer/v1alpha1/trainjob_types.go in Trainer 2.3, 2.1 and 2.0.
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

namespace {

constexpr std::array<std::string_view, 4> k_of_trainer = {"image", "command", "args", "env"};

void move_member(Json& from, std::string_view key, Json& to) {
  const auto found = from.find(key);
  if (found == from.end()) return;
  to[std::string(key)] = std::move(*found);
  from.erase(found);
}

Json* training_container_in(const Kind& kind, const Json& replica, Json& pod) {
  const std::string name = training_container(kind, replica);
  for (Json& container : list_in(object_in(pod, "spec"), "containers")) {
    if (text_at(container, "/name") == name) return &container;
  }
  return nullptr;
}

// A command does not take away the arguments that the runtime has; other arguments do. An empty
// list would not: Kueue writes the job back without it, and Trainer then refuses that spec.trainer
// has changed, so that an admitted job never starts.
void write_arguments(Json& trainer) {
  if (!array_at(trainer, "/args").empty()) return;
  trainer.erase("args");
  const Json command = array_at(trainer, "/command");
  if (command.size() < 2) return;
  trainer["command"] = Json::array({command.front()});
  trainer["args"] = Json::array();
  for (std::size_t i = 1; i < command.size(); ++i) trainer["args"].push_back(command[i]);
}

// As Kueue writes them back: see write_arguments.
Json canonical_resources(Json resources) {
  for (const char* part : {"requests", "limits"}) {
    if (!resources.is_object() || !resources.contains(part)) continue;
    for (auto& [name, amount] : object_in(resources, part).items()) {
      if (amount.is_string()) amount = canonical_quantity(amount.get<std::string>());
    }
  }
  return resources;
}

void split_container(const PatchRules& rules, Json& container, PodSplit& split) {
  for (const std::string_view key : k_of_trainer) move_member(container, key, split.trainer);
  write_arguments(split.trainer);
  if (const Json* resources = find(container, "/resources")) {
    split.trainer["resourcesPerNode"] = canonical_resources(*resources);
    container.erase("resources");
  }
  Json patch = {{"name", k_node}};
  for (const std::string_view key : rules.container) move_member(container, key, patch);
  if (patch.size() > 1) split.patch["spec"]["containers"] = Json::array({std::move(patch)});
  container["name"] = k_node;
}

// Labels of the operator's pods, and those that JobSet and the Job controller give to a TrainJob's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> k_labels_of_nodes = {
    {{k_label_job_name, "jobset.sigs.k8s.io/jobset-name"},
     {k_label_index, "batch.kubernetes.io/job-completion-index"}}};

// Constraints that select pods by these labels would otherwise select none, so that none could run.
void translate_selectors(Json& value) {
  if (value.is_string()) {
    for (const auto& [label, of_node] : k_labels_of_nodes) {
      if (value == label) value = of_node;
    }
  }
  if (!value.is_structured()) return;
  for (Json& member : value) translate_selectors(member);
}

// A container that has nothing left but its name says nothing.
void drop_bare_container(Json& pod) {
  Json& spec = object_in(pod, "spec");
  const Json& containers = array_at(spec, "/containers");
  if (containers.size() == 1 && containers[0].size() == 1) spec.erase("containers");
  if (spec.empty()) pod.erase("spec");
}

// A template may carry a creation time of null, and a name that the operator overwrites.
void split_metadata(const PatchRules& rules, PodSplit& split) {
  Json metadata = object_at(split.rest, "/metadata");
  split.rest.erase("metadata");
  Json& holder = rules.metadata ? split.patch : split.rest;
  for (const char* key : {"labels", "annotations"}) {
    if (metadata.contains(key)) move_member(metadata, key, object_in(holder, "metadata"));
  }
}

}  // namespace

Json PodSplit::needed_rest() const {
  Json needed = rest;
  if (!needed.contains("spec")) return needed;
  for (Json& container : list_in(object_in(needed, "spec"), "containers")) {
    if (text_at(container, "/name") == k_node) container.erase("terminationMessagePolicy");
  }
  drop_bare_container(needed);
  return needed;
}

Json PodSplit::runtime_template() const {
  Json whole = rest;
  strategic_merge(whole, patch);
  strategic_merge(whole, {{"spec", {{"containers", {{{"name", k_node}}}}}}});
  return whole;
}

Result<bool> start_through_env(Json& trainer) {
  const bool has_arguments = !array_at(trainer, "/args").empty();
  if (has_arguments || array_at(trainer, "/command").empty()) return false;
  const std::string program = text_at(trainer, "/command/0");
  if (program.find('=') != std::string::npos || program.starts_with('-')) {
    return Error{
        Code::usage,
        cat("without arguments of its own, the program would get those of the runtime; trainctl "
            "prevents that by starting it through `env`, which cannot start ",
            printable_line(program)),
        "add an argument after the program, or start it through a link with another name"};
  }
  trainer["args"] = std::move(trainer["command"]);
  trainer["command"] = Json::array({"env"});
  return true;
}

PodSplit split_pod(const Kind& kind, const Json& replica, const PatchRules& rules) {
  PodSplit split;
  split.rest = object_at(replica, "/template");
  if (Json* container = training_container_in(kind, replica, split.rest)) {
    split_container(rules, *container, split);
  }
  Json& spec = object_in(split.rest, "spec");
  for (const char* key : {"affinity", "topologySpreadConstraints"}) {
    if (spec.contains(key)) translate_selectors(spec[key]);
  }
  for (const std::string_view key : rules.pod) {
    if (spec.contains(key)) move_member(spec, key, object_in(split.patch, "spec"));
  }
  split_metadata(rules, split);
  drop_bare_container(split.rest);
  return split;
}

}  // namespace trainctl::job
