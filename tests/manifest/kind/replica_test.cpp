// How users name jobs and replicas: a misread name would act on the wrong job.
#include "manifest/kind/replica.h"

#include <doctest/doctest.h>

#include "manifest/rendering.h"
#include "support/objects.h"

namespace replica_test {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::yaml;

const Kind& pytorch() {
  return *find_kind("pytorch");
}
const Kind& train_job() {
  return *find_kind("trainjob");
}
// MPIJob of mpi-operator.
const Kind& mpi_job() {
  return *successor_of(*find_kind("mpi"));
}

std::string called(const Kind& kind, std::string_view job, std::string_view pod) {
  const auto replica = replica_called(kind, job, pod);
  return replica ? replica->name() : "";
}

Json train_pod(const std::string& job, const std::string& created, const std::string& ns = "ml") {
  Json pod = {{"metadata", {{"name", job + "-node-0-0-abcde"}, {"namespace", ns}}}};
  pod["metadata"]["creationTimestamp"] = created;
  pod["metadata"]["labels"] = {{"jobset.sigs.k8s.io/jobset-name", job},
                               {"jobset.sigs.k8s.io/replicatedjob-name", "node"},
                               {"batch.kubernetes.io/job-completion-index", "3"}};
  return pod;
}

TEST_CASE("a pod's name tells its replica, also when it ends with letters that nobody foretells") {
  CHECK(called(pytorch(), "ddp", "ddp-worker-1") == "worker-1");
  CHECK(called(*find_kind("mpi"), "ddp", "ddp-launcher") == "launcher-0");
  CHECK(called(train_job(), "ddp", "ddp-node-0-12-x7k2p") == "node-12");
  CHECK(called(train_job(), "ddp", "ddp-dataset-initializer-0-0-x7k2p") == "dataset-initializer-0");
  for (const char* name : {"ddp-node-0-1", "ddp-node-1-0-x7k2p", "ddp-nodes-0-1-x7k2p", "ddp",
                           "ddp-2-node-0-1-x7k2p", "ddp-node-0--x7k2p", "x-ddp-node-0-1-x7k2p"}) {
    CAPTURE(name);
    CHECK(called(train_job(), "ddp", name) == "");
  }
  CHECK(called(pytorch(), "ddp", "ddp-worker-") == "");
}

TEST_CASE("a pod below a TrainJob is its own, unless it is older than the job") {
  const Json job = yaml(
      "{metadata: {name: ddp, namespace: ml, uid: u2, creationTimestamp: '2026-01-02T03:00:05Z'}}");
  const PodOwner owner(train_job(), job);
  CHECK(owner.owns(train_pod("ddp", "2026-01-02T03:00:05Z")));
  CHECK(owner.owns(train_pod("ddp", "2026-01-02T03:09:00Z")));
  CHECK_FALSE(owner.owns(train_pod("ddp", "2026-01-02T03:00:04Z")));  // of a former job
  CHECK_FALSE(owner.owns(train_pod("ddp2", "2026-01-02T03:09:00Z")));
  CHECK_FALSE(owner.owns(train_pod("ddp", "2026-01-02T03:09:00Z", "other")));
  CHECK(replica_of(train_job(), train_pod("ddp", "2026-01-02T03:00:05Z"))->name() == "node-3");
}

TEST_CASE("a launcher's pods of mpi-operator have made-up names, and its workers' are fixed") {
  CHECK(called(mpi_job(), "pi", "pi-launcher-x7k2p") == "launcher-0");
  CHECK(called(mpi_job(), "pi", "pi-worker-1") == "worker-1");
  CHECK(called(mpi_job(), "pi", "pi-launcher") == "");
  CHECK(called(mpi_job(), "pi", "pi-worker-1-x7k2p") == "");
  CHECK(pod_name(mpi_job(), "pi", {&mpi_job().roles[0], 0}) == "pi-launcher");
  CHECK(pod_name(mpi_job(), "pi", {&mpi_job().roles[1], 1}) == "pi-worker-1");
}

TEST_CASE("a pod of mpi-operator is told by its labels, and its index by its name") {
  const Json job = yaml("{metadata: {name: pi, namespace: ml, uid: u2}}");
  const auto pod = [](const std::string& name, const std::string& role, const char* operator_name) {
    Json made = {{"metadata", {{"name", name}, {"namespace", "ml"}}}};
    made["metadata"]["labels"] = {{"training.kubeflow.org/job-name", "pi"},
                                  {"training.kubeflow.org/job-role", role},
                                  {"training.kubeflow.org/operator-name", operator_name}};
    return made;
  };
  const PodOwner owner(mpi_job(), job);
  const Json launcher = pod("pi-launcher-x7k2p", "launcher", "mpi-operator");
  CHECK(owner.owns(launcher));
  CHECK(replica_of(mpi_job(), launcher)->name() == "launcher-0");
  CHECK_FALSE(owner.owns(pod("pi-worker-0", "worker", "pytorchjob-controller")));
  // Where the launcher works, too, the labels count it as the first of the workers.
  Json worker = pod("pi-worker-0", "worker", "mpi-operator");
  worker["metadata"]["labels"]["training.kubeflow.org/replica-index"] = "1";
  CHECK(replica_of(mpi_job(), worker)->name() == "worker-0");
}

TEST_CASE("a pod of the training operator is its owner's, whatever its labels say") {
  const Json job = yaml("{metadata: {name: ddp, uid: u2}}");
  const PodOwner owner(pytorch(), job);
  CHECK(owner.owns(yaml("{metadata: {name: a, ownerReferences: [{uid: u1}, {uid: u2}]}}")));
  CHECK_FALSE(owner.owns(yaml("{metadata: {ownerReferences: [{uid: u1}]}}")));
}

}  // namespace replica_test

namespace trainctl::job {

namespace replica_test {

using namespace trainctl::testing;

const Kind& pytorch() {
  return *find_kind("pytorch");
}

JobRef ref(std::string_view text) {
  auto parsed = parse_job_ref(text);
  REQUIRE(parsed);
  return *parsed;
}

TEST_CASE("a job is NAME, KIND/NAME, NAME/REPLICA or KIND/NAME/REPLICA") {
  CHECK(ref("ddp").name == "ddp");
  CHECK(ref("ddp").kind == nullptr);
  CHECK(ref("pytorchjob/ddp").kind == &pytorch());
  CHECK(ref("ddp/worker-1").replica == "worker-1");
  CHECK(ref("ddp/rank:3").replica == "rank:3");
  const JobRef full = ref("tf/mnist/ps-0");
  CHECK(full.kind == find_kind("tf"));
  CHECK(full.name == "mnist");
  CHECK(full.replica == "ps-0");
}

TEST_CASE("a job called like a kind is still reached by its replica") {
  const JobRef job = ref("pytorch/worker-1");
  CHECK(job.kind == nullptr);
  CHECK(job.name == "pytorch");
  CHECK(job.replica == "worker-1");
}

TEST_CASE("broken references are usage errors") {
  for (const char* text : {"", "/", "a/", "/b", "a/b/c", "pytorch/a/b/c"}) {
    CAPTURE(text);
    auto parsed = parse_job_ref(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == Code::usage);
  }
}

TEST_CASE("a replica is found by name, rank or pod name") {
  const Json job = pytorch_job(2);
  CHECK(find_replica(pytorch(), job, "worker-1")->name() == "worker-1");
  CHECK(find_replica(pytorch(), job, "rank:0")->name() == "master-0");
  CHECK(find_replica(pytorch(), job, "rank:2")->name() == "worker-1");
  CHECK(find_replica(pytorch(), job, "ddp-worker-0")->name() == "worker-0");
  for (const char* text : {"worker-2", "rank:3", "chief-0", "worker--1", "worker-1x"}) {
    CAPTURE(text);
    auto replica = find_replica(pytorch(), job, text);
    REQUIRE_FALSE(replica);
    CHECK(replica.error().code == Code::not_found);
    CHECK(replica.error().hint.find("master-0") != std::string::npos);
  }
  CHECK(find_replica(pytorch(), job, "rank:x").error().code == Code::usage);
}

TEST_CASE("without a master worker-0 leads") {
  Json job = pytorch_job(2);
  job["spec"]["pytorchReplicaSpecs"].erase("Master");
  CHECK(leader(pytorch(), job)->name() == "worker-0");
  CHECK(rank_of(pytorch(), job, {find_role(pytorch(), "Worker"), 1}) == 1);
}

TEST_CASE("parameter servers have no rank and come last") {
  const Kind& tf = *find_kind("tf");
  const Json job = yaml(R"({metadata: {name: t}, spec: {tfReplicaSpecs: {PS: {replicas: 1},
      Worker: {replicas: 2}}}})");
  const auto replicas = expected_replicas(tf, job);
  REQUIRE(replicas.size() == 3);
  CHECK(replicas[0].name() == "worker-0");
  CHECK(replicas[2].name() == "ps-0");
  CHECK_FALSE(rank_of(tf, job, replicas[2]));
}

TEST_CASE("a job may be called as the node of a TrainJob is") {
  const auto job = parse_job_ref("pytorch/node-1");
  REQUIRE(job);
  CHECK(job->name == "node-1");
  CHECK(job->replica == "");
  const auto node = parse_job_ref("ddp/node-1");
  REQUIRE(node);
  CHECK(node->name == "ddp");
  CHECK(node->replica == "node-1");
}

}  // namespace replica_test

// A pod is found by owner references or by labels, and its replica by its name alone.

}  // namespace trainctl::job
