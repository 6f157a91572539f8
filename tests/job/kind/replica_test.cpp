// How users name jobs and replicas: a misread name would act on the wrong job.
#include "job/kind/replica.h"

#include <doctest/doctest.h>

#include "job/objects.h"

namespace trainctl::job {
namespace TEST_FILE {

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

}  // namespace TEST_FILE
}  // namespace trainctl::job
