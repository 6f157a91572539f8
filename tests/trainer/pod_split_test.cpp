// A submit line would be refused by an older Trainer, or lose its patch there without a word.
#include "trainer/pod_split.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "trainer/conversion.h"

namespace trainctl::job {

namespace pod_split_test {

Json openapi_with(std::string_view field) {
  Json document;
  set_at(document, "/components/schemas/org.kubeflow.TrainJobList", Json::object());
  set_at(document,
         cat("/components/schemas/org.kubeflow.TrainJob/properties/spec/properties/", field),
         Json::object());
  return document;
}

Json job_with(std::string_view pointer, Json value) {
  Json job = {{"apiVersion", "kubeflow.org/v1"}, {"kind", "PyTorchJob"}};
  job["metadata"]["name"] = "ddp";
  job["spec"]["runPolicy"] = {{"backoffLimit", 6}, {"activeDeadlineSeconds", 60}};
  Json& worker = job["spec"]["pytorchReplicaSpecs"]["Worker"];
  worker = {{"replicas", 2}, {"restartPolicy", "OnFailure"}};
  const Json container = {{"name", "pytorch"}, {"image", "i"}};
  worker["template"]["spec"]["containers"] = Json::array({container});
  set_at(worker, cat("/template", pointer), std::move(value));
  return job;
}

TEST_CASE("a server's document says how it calls the patch of a TrainJob") {
  CHECK(patch_field_of(openapi_with("runtimePatches")) == PatchField::runtime_patches);
  CHECK(patch_field_of(openapi_with("podTemplateOverrides")) == PatchField::pod_template_overrides);
  CHECK(patch_field_of(openapi_with("podSpecOverrides")) == PatchField::pod_spec_overrides);
  CHECK(patch_field_of(openapi_with("labels")) == std::nullopt);
  CHECK(patch_field_of(Json()) == std::nullopt);
}

TEST_CASE("each Trainer gets a patch of what it can patch, and a runtime holds the rest") {
  struct Row {
    PatchField field;
    const char* pointer;
    Json value;
    const char* found_at;  // "" = in a runtime of the job's own
  };
  const Row rows[] = {
      {PatchField::runtime_patches,
       "/metadata/labels",
       {{"a", "b"}},
       "/spec/runtimePatches/0/trainingRuntimeSpec/template/spec/replicatedJobs/0/template/spec/"
       "template/metadata/labels/a"},
      {PatchField::pod_template_overrides,
       "/metadata/labels",
       {{"a", "b"}},
       "/spec/podTemplateOverrides/0/metadata/labels/a"},
      {PatchField::pod_spec_overrides, "/metadata/labels", {{"a", "b"}}, ""},
      {PatchField::pod_template_overrides,
       "/spec/nodeSelector",
       {{"a", "b"}},
       "/spec/podTemplateOverrides/0/spec/nodeSelector/a"},
      {PatchField::pod_spec_overrides,
       "/spec/nodeSelector",
       {{"a", "b"}},
       "/spec/podSpecOverrides/0/nodeSelector/a"},
      {PatchField::pod_template_overrides, "/spec/securityContext", {{"runAsUser", 1}}, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pointer);
    CAPTURE(static_cast<int>(row.field));
    const auto made = convert(*find_kind("pytorch"), job_with(row.pointer, row.value),
                              {OwnRuntime::where_needed, row.field});
    REQUIRE(made);
    CHECK(made->runtime.has_value() == (*row.found_at == '\0'));
    if (*row.found_at != '\0') CHECK(find(made->job, row.found_at) != nullptr);
  }
}

TEST_CASE("a deadline is a loss where Trainer has none") {
  const Json job = job_with("/spec/nodeSelector", {{"a", "b"}});
  const Kind& kind = *find_kind("pytorch");
  const auto older = convert(kind, job, {OwnRuntime::where_needed, PatchField::pod_spec_overrides});
  REQUIRE(older);
  REQUIRE(older->losses.size() == 1);
  CHECK(older->losses[0].pointer == "/spec/runPolicy/activeDeadlineSeconds");
  CHECK(convert(kind, job, {})->losses.empty());
}

TEST_CASE("a named runtime is used as it is, and its replicated job is the one that is patched") {
  const Json job = job_with("/spec/nodeSelector", {{"a", "b"}});
  Target target;
  target.runtime = NamedRuntime{"TrainingRuntime", "mine", "trainer"};
  const auto made = convert(*find_kind("pytorch"), job, target);
  REQUIRE(made);
  CHECK_FALSE(made->runtime);
  CHECK(text_at(made->job, "/spec/runtimeRef/name") == "mine");
  CHECK(text_at(made->job,
                "/spec/runtimePatches/0/trainingRuntimeSpec/template/spec/replicatedJobs/0/name") ==
        "trainer");
}

TEST_CASE("a queued job without resources says how many processes a node has") {
  Json job = job_with("/spec/nodeSelector", {{"a", "b"}});
  const Kind& kind = *find_kind("pytorch");
  CHECK(find(convert(kind, job, {})->job, "/spec/trainer/numProcPerNode") == nullptr);
  set_at(job, "/metadata/labels/kueue.x-k8s.io~1queue-name", "lq");
  CHECK(int_at(convert(kind, job, {})->job, "/spec/trainer/numProcPerNode") == 1);
}

}  // namespace pod_split_test

}  // namespace trainctl::job
