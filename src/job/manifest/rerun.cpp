// Keeps what a user may have written, and drops the rest by name.
#include "job/manifest/rerun.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "job/kind/names.h"
#include "job/manifest/manifest.h"
#include "job/manifest/render.h"
#include "kube/object/metadata.h"

namespace trainctl::job {
namespace {

constexpr std::array k_metadata_of_the_server = {"uid",
                                                 "resourceVersion",
                                                 "generation",
                                                 "creationTimestamp",
                                                 "selfLink",
                                                 "managedFields",
                                                 "ownerReferences",
                                                 "deletionTimestamp",
                                                 "finalizers",
                                                 "deletionGracePeriodSeconds"};

// Marks of one submission, and what `kubectl apply` compares with.
constexpr std::array<std::string_view, 2> k_annotations_of_a_run = {
    k_submission_annotation, "kubectl.kubernetes.io/last-applied-configuration"};

// A manifest's reference to a config map or secret: below `key`, in the field `name`.
struct Mention {
  std::string_view key;
  std::string_view name;
  const kube::Resource& resource;
};
constexpr std::array k_mentions = {Mention{"configMap", "name", k_config_maps},
                                   Mention{"configMapRef", "name", k_config_maps},
                                   Mention{"configMapKeyRef", "name", k_config_maps},
                                   Mention{"secret", "secretName", k_secrets},
                                   Mention{"secret", "name", k_secrets},
                                   Mention{"secretRef", "name", k_secrets},
                                   Mention{"secretKeyRef", "name", k_secrets}};

void add(const Mention& mention, const Json& at, std::vector<NeededObject>& needed) {
  const Json* name = find(at, cat('/', mention.name));
  if (name == nullptr || !name->is_string()) return;
  NeededObject object{mention.resource, name->get<std::string>(), true_at(at, "/optional")};
  const auto same = std::ranges::find_if(
      needed, [&object](const NeededObject& one) { return one.title() == object.title(); });
  if (same == needed.end()) return needed.push_back(std::move(object));
  same->is_optional = same->is_optional && object.is_optional;
}

void collect(const Json& value, std::vector<NeededObject>& needed) {
  if (value.is_array()) {
    for (const Json& one : value) collect(one, needed);
  }
  if (!value.is_object()) return;
  for (const auto& [key, field] : value.items()) {
    if (field.is_object()) {
      for (const Mention& mention : k_mentions) {
        if (key == mention.key) add(mention, field, needed);
      }
    }
    collect(field, needed);
  }
}

// A run of a run is named after the first of them.
std::string stem_of(const Json& job) {
  const std::string generated = text_at(job, "/metadata/generateName");
  return generated.empty() ? text_at(job, "/metadata/name") + '-' : generated;
}

}  // namespace

Json rerun_manifest(const Kind& kind, const Json& job) {
  Json manifest = job;
  manifest.erase("status");
  Json& metadata = manifest["metadata"];
  metadata["generateName"] = stem_of(job);
  metadata.erase("name");
  for (const char* field : k_metadata_of_the_server) metadata.erase(field);
  Json& annotations = metadata["annotations"];
  if (!annotations.is_object()) annotations = Json::object();
  for (const std::string_view key : k_annotations_of_a_run) annotations.erase(std::string(key));
  annotations[std::string(k_rerun_annotation)] = text_at(job, "/metadata/name");
  if (true_at(manifest, kind.controller.suspend)) set_at(manifest, kind.controller.suspend, false);
  return manifest;
}

bool words_were_command(const Kind& kind, const Json& manifest) {
  const auto replicas = replicas_of(kind, manifest);
  return std::ranges::any_of(replicas, [&kind](const Replica& replica) {
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    return container != nullptr && !array_at(*container, "/command").empty() &&
           array_at(*container, "/args").empty();
  });
}

std::vector<NeededObject> needed_objects(const Json& manifest) {
  std::vector<NeededObject> needed;
  if (const Json* spec = find(manifest, "/spec")) collect(*spec, needed);
  return needed;
}

}  // namespace trainctl::job
