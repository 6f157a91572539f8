// A job to work in holds no more replicas than are worked in, and ends even if its user vanishes.
#include "manifest/program.h"

#include <doctest/doctest.h>

#include "base/value/yaml.h"

namespace trainctl::testing {

namespace program_test {

Json pytorch_job() {
  auto job = from_yaml(
      "{kind: PyTorchJob, spec: {runPolicy: {backoffLimit: 6}, pytorchReplicaSpecs: {"
      "Master: {replicas: 1, template: {spec: {containers: ["
      "{name: helper, args: [a]}, {name: pytorch, args: [b]}]}}}, "
      "Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch, args: [b]}]}}}}}}",
      "job");
  REQUIRE(job);
  return *job;
}

job::RenderInput line_with(std::vector<job::FlagUse> flags) {
  job::RenderInput line;
  line.kind = job::find_kind("pytorch");
  line.flags = std::move(flags);
  return line;
}

TEST_CASE("18: one replica waits to be used, for a day at most") {
  Json job = pytorch_job();
  job::make_idle(line_with({}), job);
  const Json& replicas = object_at(job, "/spec/pytorchReplicaSpecs");
  CHECK(replicas.size() == 1);
  CHECK(int_at(replicas, "/Master/replicas") == 1);
  const Json& containers = array_at(replicas, "/Master/template/spec/containers");
  CHECK(text_at(containers[0], "/args/0") == "a");
  CHECK_FALSE(containers[0].contains("command"));
  CHECK(text_at(containers[1], "/command/0") == "sh");
  CHECK_FALSE(containers[1].contains("args"));
  CHECK(int_at(job, "/spec/runPolicy/activeDeadlineSeconds") == 86400);
  CHECK(int_at(job, "/spec/runPolicy/backoffLimit") == 6);
}

TEST_CASE("18: whoever asks for workers and a limit gets these") {
  Json job = pytorch_job();
  job["spec"]["runPolicy"]["activeDeadlineSeconds"] = 60;
  job::make_idle(line_with({{job::find_flag("workers"), nullptr, {"3"}}}), job);
  CHECK(int_at(job, "/spec/runPolicy/activeDeadlineSeconds") == 60);
  CHECK(int_at(job, "/spec/pytorchReplicaSpecs/Worker/replicas") == 3);
  CHECK(text_at(job, "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/command/0") ==
        "sh");
}

}  // namespace program_test

}  // namespace trainctl::testing
