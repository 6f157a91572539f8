// A program that contradicts its job hangs or crawls, and says nothing of it.
#include <doctest/doctest.h>

#include "check/judges.h"
#include "support/objects.h"

namespace trainctl::testing {
namespace program_fit_test {

std::string messages(std::string_view args, std::string_view limits = "",
                     std::string_view spec = "") {
  const Json job =
      yaml(cat("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: ddp}\nspec:\n  "
               "runPolicy: {backoffLimit: 1}\n  ",
               spec,
               "\n  pytorchReplicaSpecs: {Worker: {replicas: 2, template: {spec: {containers: "
               "[{name: pytorch, args: [",
               args, "], resources: {limits: {", limits, "}}}]}}}}"));
  std::string text;
  for (const job::Finding& one : job::judge_program(*job::find_kind("pytorch"), job)) {
    CHECK(one.severity == job::Severity::may_fail);
    text += one.message + ";";
  }
  return text;
}

TEST_CASE("contradictions of program and resources are named") {
  CHECK(messages("--epochs, \"3\"").empty());
  CHECK(messages("--backend, nccl") == "worker uses the backend nccl and has no GPU;");
  CHECK(messages("--backend=NCCL", "nvidia.com/gpu: 1").empty());
  CHECK(messages("--dist-backend=gloo", "nvidia.com/gpu: 1") ==
        "worker uses the backend gloo, which is slow between GPUs;");
  CHECK(messages("sh, -c, \"torchrun --nnodes=$WORLD_SIZE train.py\"", "nvidia.com/gpu: 4",
                 "nprocPerNode: \"4\"") ==
        "worker takes WORLD_SIZE for the number of nodes, but WORLD_SIZE counts processes, 4 in "
        "each replica;");
  CHECK(messages("x", "nvidia.com/gpu: 2", "nprocPerNode: \"4\"") ==
        "worker starts 4 processes and has 2 GPUs;");
  CHECK(messages("x", "", "elasticPolicy: {maxRestarts: 5}") ==
        "the backoff limit of 1 ends the job before its 5 elastic restarts;");
}

}  // namespace program_fit_test
}  // namespace trainctl::testing
