// A job whose pods have the names of another's: told whose they are, and what to do.
#include <doctest/doctest.h>

#include "job/status/judging.h"
#include "job/status/ownership.h"

namespace trainctl::testing {
namespace TEST_FILE {

Json blocked(std::string_view message = "Error creating: pods \"ddp-master-0\" already exists") {
  return event("job-uid", "Warning", "FailedCreatePod", message);
}

// A pod under the name of the job's master; `metadata` says more about it.
Json namesake(std::string_view metadata) {
  Json stranger = pod("master", 0, running(), "another-uid");
  stranger["metadata"].erase("ownerReferences");
  const Json more = yaml(metadata);
  for (const auto& [key, value] : more.items()) stranger["metadata"][key] = value;
  return stranger;
}

const std::string k_tfjob =
    "{ownerReferences: [{apiVersion: kubeflow.org/v1, kind: TFJob, name: ddp, uid: tf-uid}]}";

TEST_CASE("14.10: the name of a pod is read from the words of a creation that it prevents") {
  CHECK(job::taken_pod_name("Error creating: pods \"ddp-worker-0\" already exists") ==
        "ddp-worker-0");
  CHECK(job::taken_pod_name("object is being deleted: pods \"a\" already exists") == "a");
  for (const char* other :
       {"", "services \"ddp-worker-0\" already exists", "pods \"a\" is forbidden: exceeded quota",
        "pods \"a\" already exists in another place", "pods \"", "\" already exists"}) {
    CHECK(job::taken_pod_name(other) == "");
  }
}

TEST_CASE("14.10: whoever has the pod's name is named, with the next command") {
  struct Row {
    std::string metadata, reason, message, hint;
  };
  const std::string k_rename = ", or submit this job under another name: --name";
  const std::vector<Row> rows = {
      {k_tfjob, "FailedCreatePod", "pod ddp-master-0 already exists: it belongs to tfjob ddp",
       "trainctl delete tf/ddp" + k_rename},
      {"{ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: r}]}",
       "FailedCreatePod", "pod ddp-master-0 already exists: it belongs to replicaset web",
       "submit this job under another name: --name"},
      {"{}", "FailedCreatePod", "pod ddp-master-0 already exists: it belongs to nobody",
       "kubectl delete pod ddp-master-0" + k_rename},
      {"{ownerReferences: [{apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: ddp, uid: old}]}",
       "WaitingForOldPods",
       "pod ddp-master-0 is still there: it belongs to an earlier pytorchjob ddp",
       "pods of an earlier job of this name are still terminating"},
      {"{deletionTimestamp: '2026-01-02T03:00:09Z'}", "WaitingForOldPods",
       "pod ddp-master-0 is still there: it belongs to nobody",
       "the pod is being deleted; its name is free once the pod is gone"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    const job::JobState state = judge_job(pytorch_job(1), {namesake(row.metadata)}, {blocked()});
    CHECK(state.phase == job::Phase::pending);
    REQUIRE(state.blocker);
    CHECK(state.blocker->reason == row.reason);
    CHECK(state.blocker->message == row.message);
    CHECK(state.blocker->hint == row.hint);
  }
}

TEST_CASE("14.10: where nothing says whose it is, the hint shows the way to it") {
  const job::JobState state = judge_job(pytorch_job(1), {}, {blocked()});
  REQUIRE(state.blocker);
  CHECK(state.blocker->message == "pods \"ddp-master-0\" already exists");
  CHECK(state.blocker->hint.starts_with("trainctl get ddp shows all jobs of this name"));
}

TEST_CASE("14.10: an operator that meets its own pod is not kept from anything") {
  const job::JobState state = judge_job(pytorch_job(1), {pod("master", 0, running())}, {blocked()});
  CHECK_FALSE(state.blocker);
}

TEST_CASE("14.10: the owner is named among thousands of jobs as well") {
  const Json job = pytorch_job(1), stranger = namesake(k_tfjob), why = blocked();
  job::OwnershipIndex all;
  all.add_pod(stranger);
  all.add_event(why);
  const job::JobState state = job::judge(all.evidence(*job::find_kind("pytorch"), job));
  REQUIRE(state.blocker);
  CHECK(state.blocker->message == "pod ddp-master-0 already exists: it belongs to tfjob ddp");
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
