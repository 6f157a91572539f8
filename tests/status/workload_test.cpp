// Whoever's job waits in a queue would be told nothing, or the wrong thing, of why it does.
#include "status/workload.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace workload_test {

Json condition(const char* type, const char* status, const char* reason, const char* message) {
  return {{"type", type},
          {"status", status},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", "2026-01-02T03:04:05Z"}};
}

Json workload(std::vector<Json> conditions) {
  return {{"metadata", {{"name", "pytorchjob-ddp-1a2b3"}, {"namespace", "ml"}}},
          {"spec", {{"active", true}, {"queueName", "team-a"}}},
          {"status", {{"conditions", Json(std::move(conditions))}}}};
}

struct Row {
  const char* situation;
  const char* reason;  // of QuotaReserved/False
  const char* message;
  Admission admission;
  const char* cause;
};

// Reasons and messages as Kueue 0.14.0 and 0.19.2 gave them on a cluster; those of 0.19 with its
// feature gate UnadmittedWorkloadsObservability, too.
constexpr Row k_without_quota[] = {
    {"used up, 0.14", "Pending",
     "couldn't assign flavors to pod set master: insufficient unused quota for cpu in flavor "
     "default-flavor, 200m more needed; couldn't assign flavors to pod set worker: insufficient "
     "unused quota for cpu in flavor default-flavor, 600m more needed",
     Admission::waiting, "needs 200m more cpu than flavor default-flavor has free (master)"},
    {"used up, 0.19 with its gate", "WaitingForQuota",
     "couldn't assign flavors to pod set node: insufficient unused quota for nvidia.com/gpu in "
     "flavor spot, 5 more needed",
     Admission::waiting, "needs 5 more nvidia.com/gpu than flavor spot has free (node)"},
    {"never fits, 0.14", "Pending",
     "couldn't assign flavors to pod set master: insufficient quota for cpu in flavor "
     "default-flavor, request > maximum capacity (3 > 1)",
     Admission::stuck, "needs 3 cpu, and flavor default-flavor has 1 at most (master)"},
    {"never fits, 0.19", "ExceedsMaxQuota",
     "couldn't assign flavors to pod set master: insufficient quota for cpu in flavor "
     "default-flavor, previously considered podsets requests (0) + current podset request (3) > "
     "maximum capacity (1)",
     Admission::stuck, "needs 3 cpu, and flavor default-flavor has 1 at most (master)"},
    {"not offered", "NoMatchingFlavor",
     "couldn't assign flavors to pod set worker: resource nvidia.com/gpu unavailable in "
     "ClusterQueue",
     Admission::stuck, "its queue offers no nvidia.com/gpu (worker)"},
    {"one waits and one never fits", "Pending",
     "couldn't assign flavors to pod set master: insufficient unused quota for cpu in flavor f, 1 "
     "more needed; couldn't assign flavors to pod set worker: resource x/y unavailable in "
     "ClusterQueue",
     Admission::stuck, "its queue offers no x/y (worker)"},
    {"no such LocalQueue", "Inadmissible", "LocalQueue nosuch doesn't exist", Admission::stuck,
     "LocalQueue nosuch doesn't exist"},
    {"LocalQueue on hold", "Suspended", "LocalQueue lq is inactive", Admission::stuck,
     "LocalQueue lq is inactive"},
    {"no such ClusterQueue", "Misconfigured", "ClusterQueue nosuchcq doesn't exist",
     Admission::stuck, "ClusterQueue nosuchcq doesn't exist"},
    {"broken ClusterQueue", "Inadmissible", "ClusterQueue cqbad is inactive", Admission::stuck,
     "ClusterQueue cqbad is inactive"},
    {"a reason of a later Kueue", "WaitingForPreemptedWorkloads", "2 workloads are being stopped",
     Admission::waiting, "2 workloads are being stopped"},
};

TEST_CASE("every reason of Kueue to keep a job waiting is told in the user's words") {
  for (const Row& row : k_without_quota) {
    CAPTURE(row.situation);
    const QueueStanding standing =
        read_workload(workload({condition("QuotaReserved", "False", row.reason, row.message)}));
    CHECK(standing.admission == row.admission);
    CHECK(standing.cause == row.cause);
    CHECK((standing.admission == Admission::waiting) == standing.hint.empty());
    CHECK_FALSE(standing.eviction);
  }
}

TEST_CASE("a Workload's requests turn the missing amount into the free one") {
  struct Case {
    const char* resource;
    const char* master;
    const char* worker;
    const char* more;
    const char* cause;
  };
  const Case cases[] = {
      {"cpu", "400m", "400m", "200m", "needs 800m cpu, and flavor f has 600m free (worker)"},
      {"nvidia.com/gpu", "0", "8", "5", "needs 8 nvidia.com/gpu, and flavor f has 3 free (worker)"},
      {"memory", "1Gi", "1Gi", "512Mi",
       "needs 2048Mi memory, and flavor f has 1536Mi free (worker)"},
      // Numbers that cannot be true are not repeated.
      {"cpu", "1", "1", "3", "needs 3 more cpu than flavor f has free (worker)"},
      {"cpu", "x", "y", "3", "needs 3 more cpu than flavor f has free (worker)"},
      {"cpu", "1", "1", "-3e99z", "needs -3e99z more cpu than flavor f has free (worker)"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.cause);
    const std::string message =
        cat("couldn't assign flavors to pod set worker: insufficient unused quota for ",
            each.resource, " in flavor f, ", each.more, " more needed");
    Json object = workload({condition("QuotaReserved", "False", "Pending", message.c_str())});
    object["status"]["resourceRequests"] = {
        {{"name", "master"}, {"resources", {{each.resource, each.master}}}},
        {{"name", "worker"}, {"resources", {{each.resource, each.worker}}}}};
    CHECK(read_workload(object).cause == each.cause);
  }
}

TEST_CASE("a job that lost its place says to whom, and that it waits again") {
  const Json quota = condition("QuotaReserved", "False", "Pending",
                               "couldn't assign flavors to pod set master: insufficient unused "
                               "quota for cpu in flavor f, 200m more needed");
  const QueueStanding preempted = read_workload(workload(
      {quota,
       condition("Evicted", "True", "Preempted",
                 "Preempted to accommodate a workload (UID: u-1, JobUID: u-2) due to "
                 "prioritization in the ClusterQueue; preemptor path: /cq; preemptee path: /cq"),
       condition("Preempted", "True", "InClusterQueue", "x")}));
  CHECK(preempted.admission == Admission::waiting);
  REQUIRE(preempted.eviction);
  CHECK(preempted.eviction->reason == "Preempted");
  CHECK(preempted.eviction->preemptor == "u-2");
  CHECK(preempted.eviction->since == parse_time("2026-01-02T03:04:05Z"));
  CHECK(preempted.cause == "needs 200m more cpu than flavor f has free (master)");

  Json late = workload(
      {condition("QuotaReserved", "False", "Pending", "Exceeded the PodsReady timeout ml/w"),
       condition("Evicted", "True", "PodsReadyTimeout", "Exceeded the PodsReady timeout ml/w")});
  late["status"]["requeueState"] = {{"count", 1}, {"requeueAt", "2026-01-02T03:05:05Z"}};
  const QueueStanding timed_out = read_workload(late);
  CHECK(timed_out.admission == Admission::waiting);
  REQUIRE(timed_out.eviction);
  CHECK(timed_out.eviction->requeued_at == parse_time("2026-01-02T03:05:05Z"));

  const QueueStanding drained = read_workload(workload(
      {condition("QuotaReserved", "False", "Inadmissible", "ClusterQueue cq is inactive"),
       condition("Evicted", "True", "ClusterQueueStopped", "The ClusterQueue is stopped")}));
  CHECK(drained.admission == Admission::stuck);
}

TEST_CASE("a Workload that is admitted, checked, paused or finished is told apart") {
  const Json reserved = condition("QuotaReserved", "True", "QuotaReserved", "Quota reserved");
  const Json ready = condition("PodsReady", "False", "WaitForStart", "Not all pods are ready");
  CHECK(read_workload(workload({})).admission == Admission::waiting);
  CHECK(read_workload(workload({reserved, ready, condition("Admitted", "True", "Admitted", "x")}))
            .admission == Admission::admitted);

  // Admitted again: what it lost before is over.
  const QueueStanding again = read_workload(
      workload({reserved, condition("Admitted", "True", "Admitted", "x"),
                condition("Evicted", "False", "QuotaReserved", "Previously: Preempted …"),
                condition("Preempted", "False", "QuotaReserved", "Previously: …")}));
  CHECK(again.admission == Admission::admitted);
  CHECK_FALSE(again.eviction);

  Json checked =
      workload({reserved, condition("Admitted", "False", "UnsatisfiedAdmissionChecks", "x")});
  checked["status"]["admissionChecks"] = {
      {{"name", "budget"}, {"state", "Pending"}, {"message", "who pays?"}},
      {{"name", "done"}, {"state", "Ready"}}};
  CHECK(read_workload(checked).admission == Admission::checking);
  CHECK(read_workload(checked).cause == "admission check budget is pending: who pays?");

  Json paused =
      workload({condition("QuotaReserved", "False", "Pending", "The workload is deactivated"),
                condition("Evicted", "True", "Deactivated", "The workload is deactivated")});
  paused["spec"]["active"] = false;
  CHECK(read_workload(paused).admission == Admission::paused);
  CHECK(read_workload(paused).hint.empty());

  // Evicted stays when somebody has put it back: spec.active decides.
  paused["spec"]["active"] = true;
  CHECK(read_workload(paused).admission == Admission::waiting);

  Json rejected =
      workload({condition("Evicted", "True", "DeactivatedDueToAdmissionCheck",
                          "The workload is deactivated due to AdmissionCheck in Rejected "
                          "state: \"budget\" (no money)")});
  rejected["spec"]["active"] = false;
  CHECK(read_workload(rejected).admission == Admission::paused);
  CHECK(read_workload(rejected).hint.find("ask whoever runs the check") != std::string::npos);

  CHECK(read_workload(workload({reserved, condition("Admitted", "True", "Admitted", "x"),
                                condition("Finished", "True", "Succeeded", "done")}))
            .admission == Admission::finished);
}

TEST_CASE("the cluster to which MultiKueue has dispatched a job is known") {
  CHECK(is_dispatched({{"spec", {{"managedBy", "kueue.x-k8s.io/multikueue"}}}}));
  CHECK(is_dispatched({{"spec", {{"runPolicy", {{"managedBy", "kueue.x-k8s.io/multikueue"}}}}}}));
  CHECK(!is_dispatched({{"spec", {{"managedBy", "trainer.kubeflow.org/trainjob-controller"}}}}));
  CHECK(!is_dispatched({{"spec", {{"runPolicy", {{"suspend", false}}}}}}));

  Json dispatched = workload({});
  CHECK(worker_cluster(dispatched).empty());
  // Kueue 0.12 names it in a message only.
  dispatched["status"]["admissionChecks"] = {
      {{"name", "budget"}, {"state", "Ready"}, {"message", "approved by \"finance\""}},
      {{"name", "multikueue"},
       {"state", "Ready"},
       {"message", "The workload got reservation on \"worker1\""}}};
  CHECK(worker_cluster(dispatched) == "worker1");
  dispatched["status"]["clusterName"] = "worker2";
  CHECK(worker_cluster(dispatched) == "worker2");
}

TEST_CASE("a Workload of any shape is read") {
  for (const char* text : {"null", "[]", "{}", "{\"status\":{\"conditions\":[1,null,{}]}}",
                           "{\"spec\":{\"active\":\"no\"},\"status\":{\"admissionChecks\":{}}}"}) {
    CAPTURE(text);
    CHECK(read_workload(Json::parse(text)).admission == Admission::waiting);
    CHECK(worker_cluster(Json::parse(text)).empty());
    CHECK(!is_dispatched(Json::parse(text)));
  }
}

}  // namespace workload_test
}  // namespace trainctl::job
