// Which pods and events are a job's: by uid where there is one, and by name where nothing else is
// left.
#include "status/ownership.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "status/judgement.h"
#include "status/judging.h"
#include "status/state.h"
#include "support/objects.h"

namespace ownership_test {

using namespace trainctl;
using namespace trainctl::job;
using namespace trainctl::testing;

constexpr std::string_view k_before = "2026-01-02T02:59:00Z";  // the job was made at 03:00
constexpr std::string_view k_after = "2026-01-02T03:05:00Z";

struct Row {
  const char* what;
  std::string_view ns, kind, name, uid, time;
  const char* subject;
};

// The job "ddp" in "ml" has a master, whose pod is gone, and two workers. The pod of worker-1 is a
// namesake's that still ends.
const Row k_rows[] = {
    {"the job", "ml", "PyTorchJob", "ddp", "job-uid", k_after, "job"},
    {"the job, in clocks that differ", "ml", "PyTorchJob", "ddp", "job-uid", k_before, "job"},
    {"a namesake", "ml", "PyTorchJob", "ddp", "another-job", k_after, ""},
    {"its pod", "ml", "Pod", "ddp-worker-0", "pod-worker-0", k_after, "worker-0"},
    {"its pod, in clocks that differ", "ml", "Pod", "ddp-worker-0", "pod-worker-0", k_before,
     "worker-0"},
    {"the pod before its pod", "ml", "Pod", "ddp-worker-0", "gone", k_after, "worker-0"},
    {"its pod that is gone", "ml", "Pod", "ddp-master-0", "gone", k_after, "master-0"},
    {"a pod that never came to be", "ml", "Pod", "ddp-master-0", "", k_after, "master-0"},
    {"a namesake's pod", "ml", "Pod", "ddp-worker-1", "pod-worker-1", k_after, ""},
    {"its own pod of that name", "ml", "Pod", "ddp-worker-1", "gone", k_after, "worker-1"},
    {"a pod of a namesake before it", "ml", "Pod", "ddp-master-0", "gone", k_before, ""},
    {"a pod of another namespace", "other", "Pod", "ddp-master-0", "gone", k_after, ""},
    {"a replica it does not ask for", "ml", "Pod", "ddp-worker-2", "x", k_after, ""},
    {"a pod of a job with a longer name", "ml", "Pod", "ddp2-worker-0", "x", k_after, ""},
    {"a pod of a job without a name", "ml", "Pod", "worker-0", "x", k_after, ""},
    {"a service of its replica", "ml", "Service", "ddp-worker-1", "s", k_after,
     "service/ddp-worker-1"},
    {"a service of another job", "ml", "Service", "ddp2-worker-1", "s", k_after, ""},
    {"a claim it mounts", "ml", "PersistentVolumeClaim", "data", "c", k_after, "claim/data"},
    {"a claim of others", "ml", "PersistentVolumeClaim", "others", "c", k_after, ""},
    {"a node", "", "Node", "node-a", "node-a", k_after, ""},
};

Json job_with_claim() {
  Json job = pytorch_job(2);
  set_at(job, "/spec/pytorchReplicaSpecs/Worker/template/spec",
         yaml("{volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], containers: "
              "[{name: pytorch, volumeMounts: [{name: v, mountPath: /data}]}]}"));
  return job;
}

std::vector<Json> pods_of_two_jobs() {
  return {pod("worker", 0, "{phase: Running}"),
          pod("worker", 1, "{phase: Running}", "another-job")};
}

Json event_of(const Row& row) {
  return {{"metadata", {{"name", "e"}, {"uid", row.what}}},
          {"lastTimestamp", row.time},
          {"involvedObject",
           {{"kind", row.kind}, {"name", row.name}, {"namespace", row.ns}, {"uid", row.uid}}}};
}

TEST_CASE("an event is the job's by the uid of what it is about, or by the name of what is gone") {
  const Json job = job_with_claim();
  JobOwnership ownership(*find_kind("pytorch"), job);
  const std::vector<Json> pods = pods_of_two_jobs();
  for (const Json& each : pods) ownership.add_pod(each);
  for (const Row& row : k_rows) {
    CAPTURE(row.what);
    CHECK(ownership.subject(event_of(row)) == row.subject);
  }
}

TEST_CASE("a pod is the job's when the job owns it, whatever it is called") {
  const Json job = pytorch_job(2);
  const JobOwnership ownership(*find_kind("pytorch"), job);
  CHECK(ownership.owns(pod("worker", 7, "{}")));
  CHECK_FALSE(ownership.owns(pod("worker", 0, "{}", "another-job")));
  CHECK_FALSE(ownership.owns(yaml("{metadata: {name: ddp-worker-0, uid: p}}")));
}

TEST_CASE("the pod of a role with one replica may go without an index") {
  const Json job = yaml(R"(
kind: MPIJob
metadata: {name: pi, namespace: ml, uid: job-uid}
spec: {mpiReplicaSpecs: {Launcher: {replicas: 1}, Worker: {replicas: 1}}}
)");
  const JobOwnership ownership(*find_kind("mpi"), job);
  const Row launcher{"", "ml", "Pod", "pi-launcher", "gone", k_after, ""};
  CHECK(ownership.subject(event_of(launcher)) == "launcher-0");
  const Row worker{"", "ml", "Pod", "pi-worker", "gone", k_after, ""};
  CHECK(ownership.subject(event_of(worker)).empty());
}

TEST_CASE("the Job's words about a launcher are told of its MPIJob") {
  const Json job = yaml("{kind: MPIJob, metadata: {name: pi, namespace: ml, uid: job-uid}}");
  const JobOwnership ownership(*successor_of(*find_kind("mpi")), job);
  const auto subject = [&ownership](const char* kind, const char* name) {
    return ownership.subject(event_of({"", "ml", kind, name, "gone", k_after, ""}));
  };
  CHECK(subject("Job", "pi-launcher") == k_job_subject);
  CHECK(subject("Job", "pi").empty());
  CHECK(subject("Job", "pi-launcher-0").empty());
}

TEST_CASE("one of many jobs has the same pods and events as if it were alone") {
  const Json job = job_with_claim();
  const std::vector<Json> pods = pods_of_two_jobs();
  std::vector<Json> events;
  for (const Row& row : k_rows) events.push_back(event_of(row));
  OwnershipIndex index;
  for (const Json& each : events) index.add_event(each);
  for (const Json& each : pods) index.add_pod(each);
  const Evidence alone =
      gather_evidence({*find_kind("pytorch"), job}, pointers_to(pods), {}, pointers_to(events));
  const Evidence indexed = index.evidence(*find_kind("pytorch"), job);
  CHECK(indexed.pods == alone.pods);
  CHECK(indexed.pods.size() == 1);
  const auto sorted = [](std::span<const Json* const> about) {
    Objects objects(about.begin(), about.end());
    std::sort(objects.begin(), objects.end());
    return objects;
  };
  // Judged are the job and its replicas, not its services and claims.
  for (const char* subject : {"job", "master-0", "worker-0", "worker-1"}) {
    CAPTURE(subject);
    CHECK_FALSE(alone.events_about(subject).empty());
    CHECK(sorted(indexed.events_about(subject)) == sorted(alone.events_about(subject)));
  }
}

TEST_CASE("of the pods of one replica the one that lives counts, else the newest") {
  const Json job = pytorch_job(1);
  Json ending = pod("worker", 0, "{phase: Running}");
  set_at(ending, "/metadata/deletionTimestamp", "2026-01-02T03:09:00Z");
  set_at(ending, "/metadata/creationTimestamp", "2026-01-02T03:08:00Z");
  const Json older = pod("worker", 0, "{phase: Failed}");
  Json newer = older;
  set_at(newer, "/metadata/creationTimestamp", "2026-01-02T03:07:00Z");
  const auto chosen = [&job](const Objects& pods) {
    return gather_evidence({*find_kind("pytorch"), job}, pods, {}, {}).pods.begin()->second;
  };
  CHECK(chosen({&older, &newer, &ending}) == &newer);
  CHECK(chosen({&ending, &newer, &older}) == &newer);
  CHECK(chosen({&ending}) == &ending);
}

}  // namespace ownership_test

namespace trainctl::testing {

// Many jobs judged together: each by its own pods and events, and by no other's.
namespace ownership_test {

using job::OwnershipIndex;

// The operator has seen all of them, except `c`.
Json job_of(const std::string& name) {
  Json object = Json::parse(R"({"kind": "PyTorchJob", "spec": {"pytorchReplicaSpecs": {
      "Master": {"replicas": 1, "template": {"spec": {"containers": [{"name": "pytorch"}]}}}}}})");
  object["metadata"] = {{"name", name}, {"namespace", "default"}, {"uid", "uid-" + name}};
  if (name != "c") object["status"]["conditions"] = {{{"type", "Created"}, {"status", "True"}}};
  return object;
}

job::JobState judge(const OwnershipIndex& all, const std::string& name) {
  const Json job = job_of(name);
  return job::judge(all.evidence(*job::find_kind("pytorch"), job));
}

Json master_of(const std::string& name, const std::vector<std::string>& owners) {
  Json pod = Json::parse(R"({"spec": {"nodeName": "node-a"}, "status": {"phase": "Pending"}})");
  pod["metadata"] = {{"name", name + "-master-0"}, {"uid", "pod-" + name}};
  pod["metadata"]["labels"] = {{"training.kubeflow.org/job-name", name},
                               {"training.kubeflow.org/replica-type", "master"},
                               {"training.kubeflow.org/replica-index", "0"}};
  for (const std::string& owner : owners) {
    pod["metadata"]["ownerReferences"].push_back({{"uid", "uid-" + owner}});
  }
  return pod;
}

Json not_mounted(const std::string& name, const std::string& why) {
  return {{"type", "Warning"},
          {"reason", "FailedMount"},
          {"message", why},
          {"involvedObject", {{"kind", "Pod"}, {"uid", "pod-" + name}}}};
}

Json cannot_create(const std::string& name, const std::string& why) {
  return {{"type", "Warning"},
          {"reason", "FailedCreatePod"},
          {"message", why},
          {"involvedObject", {{"kind", "PyTorchJob"}, {"uid", "uid-" + name}}}};
}

TEST_CASE("each of many jobs is judged by its own pods and events") {
  const std::vector<Json> pods = {master_of("a", {"a"}), master_of("b", {"b"})};
  const std::vector<Json> events = {
      not_mounted("b", "no volume for b"), cannot_create("c", "quota of an hour ago"),
      not_mounted("a", "no volume for a"), cannot_create("c", "quota of c"),
      not_mounted("gone", "nobody's")};
  OwnershipIndex all;
  for (const Json& event : events) all.add_event(event);
  for (const Json& pod : pods) all.add_pod(pod);

  const auto trouble = [&all](const std::string& name) {
    const auto blocker = judge(all, name).blocker;
    return blocker ? blocker->message : "";
  };
  CHECK(trouble("a") == "no volume for a");
  CHECK(trouble("b") == "no volume for b");
  // Of several the last, as they came.
  CHECK(trouble("c") == "quota of c");
  CHECK(trouble("d").empty());
}

TEST_CASE("a namesake's pod is not the job's, and an owner named twice has one pod") {
  const std::vector<Json> pods = {master_of("a", {"a-of-yesterday"}),
                                  master_of("b", {"b", "c", "b"})};
  OwnershipIndex all;
  for (const Json& pod : pods) all.add_pod(pod);
  const auto uids = [&all](const std::string& name) {
    std::string text;
    for (const auto& replica : judge(all, name).replicas) text += replica.pod.uid + ';';
    return text;
  };
  CHECK(uids("a") == ";");
  CHECK(uids("b") == "pod-b;");
}

}  // namespace ownership_test

// A job whose pods have the names of another's: told whose they are, and what to do.
namespace ownership_test {

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

}  // namespace ownership_test

}  // namespace trainctl::testing
