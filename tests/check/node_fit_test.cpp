// A user would submit a job that no node can host, and learn of it from a pod that hangs; or be
// warned of a job that runs.
#include <doctest/doctest.h>

#include "check/judges.h"
#include "support/objects.h"

namespace trainctl::testing {
namespace node_fit_test {

using job::Scheduler;

Json node(std::string_view name, std::string_view more, std::string_view gpus = "4") {
  return yaml(cat("metadata: {name: ", name, ", labels: {zone: a, cards: \"8\"}}\n", more,
                  "\nstatus: {allocatable: {cpu: \"8\", memory: 32Gi, pods: \"110\", "
                  "nvidia.com/gpu: \"",
                  gpus, "\"}}\n"));
}

Json pod_spec(std::string_view asked, std::string_view more = "") {
  return yaml(cat("containers: [{resources: {limits: {", asked, "}}}]\n", more));
}

TEST_CASE("the reason why a node can never host a pod is named") {
  struct Row {
    Json node, pod_spec;
    std::string fault;
  };
  const std::string tainted =
      "spec: {taints: [{key: dedicated, value: infra, effect: NoSchedule}]}";
  const auto affinity = [](std::string_view expression) {
    return cat(
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchExpressions: [",
        expression, "]}]}}}");
  };
  const Row rows[] = {
      {node("n", ""), pod_spec("nvidia.com/gpu: 4, cpu: 8"), ""},
      {node("n", ""), pod_spec("nvidia.com/gpu: 8"), "only 4 of 8 nvidia.com/gpu"},
      {node("n", "", "0"), pod_spec("nvidia.com/gpu: 1"), "no nvidia.com/gpu"},
      {node("n", ""), pod_spec("memory: 64Gi"), "only 32Gi of 64Gi memory"},
      {node("n", ""), pod_spec("amd.com/gpu: 1"), "no amd.com/gpu"},
      {node("n", ""), pod_spec("cpu: 1", "nodeSelector: {zone: b}"), "labels that do not match"},
      {node("n", ""), pod_spec("cpu: 1", "nodeName: m"), "another name"},
      {node("n", "spec: {unschedulable: true}"), pod_spec("cpu: 1"), "cordoned"},
      {node("n", tainted), pod_spec("cpu: 1"), "the taint dedicated=infra"},
      {node("n", tainted), pod_spec("cpu: 1", "tolerations: [{operator: Exists}]"), ""},
      {node("n", tainted),
       pod_spec("cpu: 1", "tolerations: [{key: dedicated, value: infra, effect: NoSchedule}]"), ""},
      {node("n", tainted), pod_spec("cpu: 1", "tolerations: [{key: dedicated, value: other}]"),
       "the taint dedicated=infra"},
      {node("n", "spec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}]}"),
       pod_spec("cpu: 1"), ""},
      {node("n", "spec: {taints: [{key: soft, effect: PreferNoSchedule}]}"), pod_spec("cpu: 1"),
       ""},
      {node("n", ""), pod_spec("cpu: 1", affinity("{key: zone, operator: In, values: [a, b]}")),
       ""},
      {node("n", ""), pod_spec("cpu: 1", affinity("{key: zone, operator: NotIn, values: [a]}")),
       "labels that do not match"},
      {node("n", ""), pod_spec("cpu: 1", affinity("{key: cards, operator: Gt, values: [\"4\"]}")),
       ""},
      {node("n", ""), pod_spec("cpu: 1", affinity("{key: cards, operator: Lt, values: [\"4\"]}")),
       "labels that do not match"},
      {node("n", ""), pod_spec("cpu: 1", affinity("{key: none, operator: DoesNotExist}")), ""},
  };
  for (const Row& row : rows) {
    CAPTURE(dump(row.pod_spec));
    CHECK(job::node_fault(row.node, row.pod_spec, Scheduler::kubernetes) == row.fault);
  }
}

job::PredictedPod replicas(std::string_view role, int count, std::string_view asked) {
  Json pod = Json::object();
  pod["spec"] = pod_spec(asked);
  return {std::string(role), count, std::move(pod)};
}

TEST_CASE("the embedded cluster counts devices, and neither CPUs nor memory") {
  CHECK(job::node_fault(node("n", ""), pod_spec("cpu: 64"), Scheduler::embedded).empty());
  CHECK_FALSE(
      job::node_fault(node("n", ""), pod_spec("nvidia.com/gpu: 8"), Scheduler::embedded).empty());
}

TEST_CASE("a replica that no node can host is certain to wait for ever in the embedded cluster") {
  for (const Scheduler scheduler : {Scheduler::kubernetes, Scheduler::embedded}) {
    const auto found =
        job::judge_nodes({replicas("worker", 1, "nvidia.com/gpu: 8")}, {node("n", "")}, scheduler);
    REQUIRE(found.size() == 1);
    CHECK((found[0].severity == job::Severity::fails) == (scheduler == Scheduler::embedded));
  }
}

TEST_CASE("replicas that fit one by one, and not at once, are a warning") {
  const std::vector<Json> two = {node("n", ""), node("m", "")};
  const auto eight =
      job::judge_nodes({replicas("worker", 8, "nvidia.com/gpu: 1")}, two, Scheduler::kubernetes);
  REQUIRE(eight.size() == 1);
  CHECK(eight[0].severity == job::Severity::passes);
  const auto nine =
      job::judge_nodes({replicas("worker", 9, "nvidia.com/gpu: 1")}, two, Scheduler::kubernetes);
  REQUIRE(nine.size() == 1);
  CHECK(nine[0].severity == job::Severity::may_fail);
  CHECK(nine[0].message == "the nodes could host 8 of the 9 replicas at once, if they were empty");
}

TEST_CASE("a small replica does not take the node that a large one needs") {
  const std::vector<Json> nodes = {node("large", "", "4"), node("small", "", "0")};
  const auto findings = job::judge_nodes(
      {replicas("master", 1, "cpu: 4"), replicas("worker", 1, "nvidia.com/gpu: 4, cpu: 8")}, nodes,
      Scheduler::kubernetes);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == job::Severity::passes);
}

TEST_CASE("each fault is counted, so that the nearest miss can be seen") {
  const std::vector<Json> nodes = {node("a", ""), node("b", ""),
                                   node("c", "spec: {unschedulable: true}")};
  const auto findings =
      job::judge_nodes({replicas("worker", 1, "nvidia.com/gpu: 8")}, nodes, Scheduler::kubernetes);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == job::Severity::may_fail);
  CHECK(findings[0].message ==
        "no node could host a worker: cordoned (1 node), only 4 of 8 nvidia.com/gpu (2 nodes)");
}

}  // namespace node_fit_test
}  // namespace trainctl::testing
