// A namespace's quota refuses the pods and not the job, so that a job hangs without a word.
#include <doctest/doctest.h>

#include "check/judges.h"
#include "support/objects.h"

namespace trainctl::testing {
namespace quota_fit_test {

using job::Severity;

std::vector<job::PredictedPod> four_workers() {
  return {{"worker", 4,
           yaml("spec: {containers: [{resources: {requests: {cpu: 2}, limits: {cpu: 4, "
                "nvidia.com/gpu: 1}}}]}")}};
}

TEST_CASE("a quota is compared with all replicas together") {
  struct Row {
    std::string_view hard, used;
    std::optional<Severity> severity;
  };
  const Row rows[] = {
      {"requests.cpu: 8", "requests.cpu: 0", std::nullopt},
      {"requests.cpu: 8", "requests.cpu: 1", Severity::may_fail},
      {"cpu: 7", "cpu: 0", Severity::fails},
      {"limits.cpu: 16", "limits.cpu: 0", std::nullopt},
      {"limits.cpu: 15", "limits.cpu: 0", Severity::fails},
      {"pods: 3", "pods: 0", Severity::fails},
      {"count/pods: 10", "count/pods: 7", Severity::may_fail},
      {"requests.nvidia.com/gpu: 3", "requests.nvidia.com/gpu: 0", Severity::fails},
      {"configmaps: 1", "configmaps: 1", std::nullopt},
      {"requests.memory: 1Gi", "requests.memory: 2Gi", std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.hard);
    const Json quota =
        yaml(cat("metadata: {name: q}\nstatus: {hard: {", row.hard, "}, used: {", row.used, "}}"));
    const auto findings = job::judge_quotas(four_workers(), {quota});
    CHECK(findings.empty() == !row.severity.has_value());
    if (row.severity && !findings.empty()) CHECK(findings[0].severity == *row.severity);
  }
}

TEST_CASE("a quota for some pods only is left to their admission") {
  const Json quota =
      yaml("spec: {scopes: [BestEffort]}\nstatus: {hard: {pods: 1}, used: {pods: 0}}");
  CHECK(job::judge_quotas(four_workers(), {quota}).empty());
}

TEST_CASE("the operator's init container alone is asked for without requests") {
  const auto bare = job::without_init_requests(
      yaml("spec: {initContainers: [{name: init-pytorch, resources: {requests: {cpu: 1}}}, "
           "{name: download-1, resources: {requests: {cpu: 2}}}]}"));
  REQUIRE(bare);
  CHECK(*bare == yaml("spec: {initContainers: [{name: init-pytorch}, "
                      "{name: download-1, resources: {requests: {cpu: 2}}}]}"));
}

TEST_CASE("the words name quota and amounts") {
  const Json quota = yaml("metadata: {name: team}\nstatus: {hard: {requests.nvidia.com/gpu: 2}}");
  const auto findings = job::judge_quotas(four_workers(), {quota});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].subject == "quota team");
  CHECK(findings[0].message ==
        "the job takes 4 requests.nvidia.com/gpu, but the namespace may use only 2");
}

}  // namespace quota_fit_test
}  // namespace trainctl::testing
