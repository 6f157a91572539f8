// Keeps what a user may have written, and drops the rest by name.
#include "job/manifest/rerun.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "job/kind/names.h"
#include "job/manifest/attempt.h"
#include "job/manifest/manifest.h"
#include "job/manifest/predecessors.h"
#include "job/manifest/render.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"

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
constexpr std::array<std::string_view, 3> k_annotations_of_a_run = {
    k_submission_annotation, k_lineage_annotation,
    "kubectl.kubernetes.io/last-applied-configuration"};

// A run of a run is named after the first of them.
std::string stem_of(const Json& job) {
  const std::string generated = text_at(job, "/metadata/generateName");
  return generated.empty() ? text_at(job, "/metadata/name") + '-' : generated;
}

// Without what the server and the first run have written into it.
Json written_by_the_user(const Json& job) {
  Json manifest = job;
  manifest.erase("status");
  Json& metadata = manifest["metadata"];
  for (const char* field : k_metadata_of_the_server) metadata.erase(field);
  if (!object_at(manifest, "/metadata/annotations").empty()) {
    Json& annotations = metadata["annotations"];
    for (const std::string_view key : k_annotations_of_a_run) annotations.erase(std::string(key));
  }
  return manifest;
}

}  // namespace

Json submitted_manifest(const Json& job) {
  Json manifest = written_by_the_user(job);
  const Json* annotations = find(manifest, "/metadata/annotations");
  if (annotations != nullptr && annotations->empty()) manifest["metadata"].erase("annotations");
  return manifest;
}

Json rerun_manifest(const Kind& kind, const Json& job) {
  Json manifest = written_by_the_user(job);
  Json& metadata = manifest["metadata"];
  metadata["generateName"] = stem_of(job);
  metadata.erase("name");
  // The jobs that the first run waited for are not those of another one.
  set_predecessors(manifest, {});
  metadata["annotations"][std::string(k_rerun_annotation)] = text_at(job, "/metadata/name");
  if (true_at(manifest, kind.controller.suspend)) set_at(manifest, kind.controller.suspend, false);
  unmark_attempt(kind, manifest);
  return manifest;
}

void name_after_run(Json& manifest, const std::string& uid) {
  Json& metadata = manifest["metadata"];
  const std::string stem = text_at(metadata, "/generateName");
  if (!text_at(metadata, "/name").empty() || stem.empty() || uid.empty()) return;
  metadata["name"] = stem.substr(0, kube::k_generated_stem) + kube::generated_tail(uid);
}

bool words_were_command(const Kind& kind, const Json& manifest) {
  const auto replicas = replicas_of(kind, manifest);
  return std::ranges::any_of(replicas, [&kind](const Replica& replica) {
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    return container != nullptr && !array_at(*container, "/command").empty() &&
           array_at(*container, "/args").empty();
  });
}

}  // namespace trainctl::job
