// Claims, queues and the admission of pods: what lasts stops a submit, and what may pass does not.
#include <doctest/doctest.h>

#include "check/judges.h"
#include "support/objects.h"

namespace trainctl::testing {
namespace surroundings_fit_test {

using job::Severity;

Severity worst(const job::Findings& findings) {
  Severity found = Severity::passes;
  for (const job::Finding& one : findings) found = std::max(found, one.severity);
  return found;
}

TEST_CASE("a claim is judged by its phase, its modes and who mounts it") {
  struct Row {
    std::string_view claim;
    int mounts;
    Severity severity;
  };
  const Row rows[] = {
      {"status: {phase: Bound}\nspec: {accessModes: [ReadWriteMany]}", 9, Severity::passes},
      {"status: {phase: Bound}\nspec: {accessModes: [ReadWriteOnce]}", 1, Severity::passes},
      {"status: {phase: Bound}\nspec: {accessModes: [ReadWriteOnce]}", 2, Severity::may_fail},
      {"status: {phase: Bound}\nspec: {accessModes: [ReadWriteOncePod]}", 2, Severity::fails},
      {"status: {phase: Lost}\nspec: {accessModes: [ReadWriteMany]}", 1, Severity::fails},
      {"metadata: {deletionTimestamp: x}\nstatus: {phase: Bound}", 1, Severity::fails},
      {"status: {phase: Pending}\nspec: {accessModes: [ReadWriteMany], storageClassName: later}", 1,
       Severity::passes},
      {"status: {phase: Pending}\nspec: {accessModes: [ReadWriteMany], storageClassName: now}", 1,
       Severity::may_fail},
      {"status: {phase: Pending}\nspec: {accessModes: [ReadWriteMany], storageClassName: none}", 1,
       Severity::may_fail},
      {"status: {phase: Pending}\nspec: {accessModes: [ReadWriteMany]}", 1, Severity::may_fail},
  };
  const std::vector<Json> classes = {
      yaml("metadata: {name: later}\nvolumeBindingMode: WaitForFirstConsumer"),
      yaml("metadata: {name: now}\nvolumeBindingMode: Immediate")};
  for (const Row& row : rows) {
    CAPTURE(row.claim);
    CHECK(worst(job::judge_claim(yaml(row.claim), row.mounts, &classes)) == row.severity);
  }
  const Json pending =
      yaml("status: {phase: Pending}\nspec: {accessModes: [ReadWriteMany], storageClassName: x}");
  CHECK(worst(job::judge_claim(pending, 1, nullptr)) == Severity::unknown);
}

TEST_CASE("a refused pod stops the submit only where the refusal lasts") {
  struct Row {
    Error refusal;
    Severity severity;
  };
  const std::string quota =
      "pods \"ddp\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: "
      "pods=";
  const Row rows[] = {
      {{Code::refused, quota + "3"}, Severity::may_fail},
      {{Code::refused,
        "exceeded quota: q, requested: cpu=4,pods=1, used: cpu=0,pods=0, limited: cpu=2,pods=3"},
       Severity::fails},
      {{Code::refused, "pods is forbidden: violates PodSecurity \"restricted:latest\": privileged"},
       Severity::fails},
      {{Code::refused, "Pod is invalid: spec.containers[0].resources.limits: Required value"},
       Severity::fails},
      {{Code::not_found, "namespaces \"ml\" not found"}, Severity::fails},
      {{Code::refused, "admission webhook \"x\" does not support dry run"}, Severity::unchecked},
      {{Code::unreachable, "failed calling webhook \"x\": connection refused"}, Severity::may_fail},
  };
  for (const Row& row : rows) {
    CAPTURE(row.refusal.message);
    CHECK(job::judge_refusal("pod of worker", row.refusal).severity == row.severity);
  }
}

TEST_CASE(
    "the account that the operator makes for an MPI launcher is not asked for before there is a "
    "job") {
  const Json job = yaml(R"(
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: train}
spec:
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: mpi, image: i}]}}}
    Worker: {replicas: 1, template: {spec: {serviceAccountName: own, containers: [{name: mpi, image: i}]}}}
)");
  std::string accounts;
  for (const job::PredictedPod& each : job::predicted_pods(*job::find_kind("mpi"), job)) {
    accounts += cat(each.role, ':', text_at(each.pod, "/spec/serviceAccountName"), ' ');
  }
  CHECK(accounts == "launcher: worker:own ");
}

TEST_CASE("a queue is judged by its state, and by the most that it could ever give") {
  CHECK(worst(job::judge_local_queue(yaml("metadata: {name: q}"))) == Severity::passes);
  CHECK(worst(job::judge_local_queue(yaml("spec: {stopPolicy: Hold}"))) == Severity::may_fail);
  CHECK(worst(job::judge_local_queue(
            yaml("status: {conditions: [{type: Active, status: \"False\", message: gone}]}"))) ==
        Severity::may_fail);

  const std::vector<job::PredictedPod> pods = {
      {"worker", 4, yaml("spec: {containers: [{resources: {requests: {cpu: 2}}}]}")}};
  const auto queue = [](std::string_view cohort, std::string_view quota) {
    return yaml(cat("metadata: {name: cq}\nspec:\n  ", cohort,
                    "\n  resourceGroups: [{flavors: [{resources: [{name: cpu, ", quota, "}]}]}]"));
  };
  CHECK(worst(job::judge_cluster_queue(pods, queue("", "nominalQuota: 8"))) == Severity::passes);
  CHECK(worst(job::judge_cluster_queue(pods, queue("", "nominalQuota: 7"))) == Severity::fails);
  CHECK(worst(job::judge_cluster_queue(pods, queue("cohort: all", "nominalQuota: 1"))) ==
        Severity::passes);
  CHECK(worst(job::judge_cluster_queue(
            pods, queue("cohortName: all", "nominalQuota: 1, borrowingLimit: 6"))) ==
        Severity::fails);
  CHECK(worst(job::judge_cluster_queue(pods, yaml("metadata: {name: cq}"))) == Severity::fails);
}

TEST_CASE("a job that may be preempted is not left with 30 seconds to save a checkpoint") {
  const std::pair<std::string_view, std::string_view> k_rows[] = {
      {"{withinClusterQueue: LowerPriority}", "{}"},
      {"{withinClusterQueue: Never}", ""},
      {"{reclaimWithinCohort: Any}", ""},
      {"{withinClusterQueue: LowerPriority}", "{terminationGracePeriodSeconds: 300}"},
  };
  for (const auto& [preemption, spec] : k_rows) {
    CAPTURE(preemption);
    const std::string pod_spec(spec.empty() ? "{}" : spec);
    const std::vector<job::PredictedPod> pods = {{"worker", 4, yaml(cat("spec: ", pod_spec))}};
    const auto found =
        job::judge_preemption(pods, yaml(cat("spec: {preemption: ", preemption, "}")));
    CHECK(found.empty() == (spec != "{}"));
  }
}

TEST_CASE("a missing object is fatal, a missing pull secret is not, and a missing key is") {
  const job::NeededObject secret{
      {"", "v1", "secrets", "Secret"}, "hub", job::Need::required, {"token"}};
  CHECK(worst(job::judge_missing(secret, "ml")) == Severity::fails);
  CHECK(job::judge_missing(secret, "ml")[0].remedy == "kubectl create secret generic hub -n ml");
  CHECK(worst(job::judge_present(secret, yaml("data: {token: eA==}"))) == Severity::passes);
  CHECK(worst(job::judge_present(secret, yaml("data: {other: eA==}"))) == Severity::fails);
  job::NeededObject pull = secret;
  pull.need = job::Need::image_pull;
  CHECK(worst(job::judge_missing(pull, "ml")) == Severity::may_fail);
}

}  // namespace surroundings_fit_test
}  // namespace trainctl::testing
