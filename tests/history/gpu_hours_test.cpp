// A sum of GPU hours that leaves runs out without saying so is wrong.
#include "history/gpu_hours.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/yaml.h"

namespace trainctl::testing {
namespace gpu_hours_test {

work::PastRun run_with(const std::string& name, int gpus, int minutes, std::string_view owner) {
  work::PastRun run;
  run.name = name;
  run.kind = "PyTorchJob";
  run.submitted = *parse_time("2026-01-02T03:00:00Z");
  run.ended = *run.submitted + std::chrono::minutes(minutes);
  run.manifest = *from_yaml(
      cat("{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {labels: {trainctl/owner: ",
          owner,
          "}}, spec: {pytorchReplicaSpecs: {Master: {template: {spec: {containers: [{name: "
          "pytorch, resources: {limits: {nvidia.com/gpu: ",
          gpus,
          "}}}]}}}, Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch, "
          "resources: {limits: {nvidia.com/gpu: ",
          gpus, "}}}]}}}}}}"),
      "manifest");
  return run;
}

TEST_CASE("GPUs of all replicas times the duration are added up, the largest group first") {
  const std::vector<work::PastRun> runs = {run_with("a", 1, 30, "ada"), run_with("b", 2, 60, "bob"),
                                           run_with("c", 0, 600, "ada")};
  struct Case {
    std::string key;
    std::vector<std::string> groups;
  };
  const Case cases[] = {{"", {}},
                        {"user", {"bob 1 8", "ada 2 2"}},
                        {"name", {"b 1 8", "a 1 2", "c 1 0"}},
                        {"kind", {"PyTorchJob 3 10"}},
                        {"label=team", {" 3 10"}}};
  for (const Case& one : cases) {
    CAPTURE(one.key);
    const auto key = work::parse_gpu_hours_key(one.key);
    REQUIRE(key);
    CHECK(key->text() == one.key);
    const work::GpuHours hours = work::gpu_hours(runs, *key);
    CHECK(hours.total.runs == 3);
    CHECK(hours.total.hours == doctest::Approx(10));
    std::vector<std::string> groups;
    for (const auto& group : hours.groups) {
      groups.push_back(cat(group.name, ' ', group.runs, ' ', static_cast<int>(group.hours)));
    }
    CHECK(groups == one.groups);
    CHECK(work::not_counted_words(hours).empty());
  }
}

TEST_CASE("runs that cannot be counted are named") {
  work::PastRun endless = run_with("a", 1, 30, "ada");
  endless.ended.reset();
  work::PastRun bare = run_with("b", 1, 30, "ada");
  bare.manifest = nullptr;
  work::PastRun by_runtime = run_with("c", 1, 30, "ada");
  by_runtime.manifest = *from_yaml(
      "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: c}, "
      "spec: {runtimeRef: {name: torch-distributed}, trainer: {numNodes: 2}}}",
      "manifest");
  const work::GpuHours hours = work::gpu_hours({endless, bare, by_runtime}, {});
  CHECK(hours.total.runs == 0);
  CHECK(work::not_counted_words(hours) ==
        "not counted: 1 run without a duration, 2 runs whose GPUs are not known");
}

TEST_CASE("a group that runs do not have is refused") {
  for (const std::string_view text : {"label=", "label", "team", "USER"}) {
    CAPTURE(text);
    const auto key = work::parse_gpu_hours_key(text);
    REQUIRE_FALSE(key);
    CHECK(key.error().code == Code::usage);
  }
}

}  // namespace gpu_hours_test
}  // namespace trainctl::testing
