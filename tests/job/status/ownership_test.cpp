// Which pods and events are a job's: by uid where there is one, and by name where nothing else is
// left.
#include "job/status/ownership.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "job/objects.h"

namespace TEST_FILE {

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

TEST_CASE("what a Job says of an MPIJob's launcher is said of the MPIJob") {
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

}  // namespace TEST_FILE
