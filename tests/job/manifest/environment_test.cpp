// The rendezvous of PyTorch workers without a master.
#include "job/manifest/environment.h"

#include <doctest/doctest.h>

#include "job/manifest/rendering.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::at;
using trainctl::testing::kind;
using trainctl::testing::rendered;
using trainctl::testing::yaml;

const std::string k_env = "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/env";

Json variable(const Json& manifest, std::string_view name) {
  for (const Json& one : array_at(manifest, k_env)) {
    if (text_at(one, "/name") == name) return one;
  }
  return nullptr;
}

std::size_t position(const Json& manifest, std::string_view name) {
  const Json& env = array_at(manifest, k_env);
  for (std::size_t i = 0; i < env.size(); ++i) {
    if (text_at(env[i], "/name") == name) return i;
  }
  return env.size();
}

TEST_CASE("workers alone find each other: address, ranks and world size as beside a master") {
  const Json manifest = rendered({"pytorch", {"--no-master", "--workers=4"}});
  CHECK(text_at(variable(manifest, "MASTER_ADDR"), "/value") == "$(TRAINCTL_JOB_NAME)-worker-0");
  CHECK(variable(manifest, "PET_MASTER_ADDR")["value"] ==
        variable(manifest, "MASTER_ADDR")["value"]);
  CHECK(text_at(variable(manifest, "MASTER_PORT"), "/value") == "23456");
  CHECK(text_at(variable(manifest, "PET_MASTER_PORT"), "/value") == "23456");
  CHECK(text_at(variable(manifest, "WORLD_SIZE"), "/value") == "4");
  const std::string index = "metadata.labels['training.kubeflow.org/replica-index']";
  CHECK(text_at(variable(manifest, "RANK"), "/valueFrom/fieldRef/fieldPath") == index);
  CHECK(text_at(variable(manifest, "PET_NODE_RANK"), "/valueFrom/fieldRef/fieldPath") == index);
}

TEST_CASE("the job's name comes from the pod, and before the variables that refer to it") {
  const Json manifest = rendered({"pytorch", {"--no-master"}});  // a generated name
  CHECK(text_at(variable(manifest, "TRAINCTL_JOB_NAME"), "/valueFrom/fieldRef/fieldPath") ==
        "metadata.labels['training.kubeflow.org/job-name']");
  CHECK(position(manifest, "TRAINCTL_JOB_NAME") < position(manifest, "MASTER_ADDR"));
}

TEST_CASE("the world counts processes when their number is given, and the port is the job's") {
  const Json manifest = rendered(
      {"pytorch",
       {"--no-master", "--workers=2", "--nproc-per-node=4", "--port=pytorchjob-port=29500"}});
  CHECK(text_at(variable(manifest, "WORLD_SIZE"), "/value") == "8");
  CHECK(text_at(variable(manifest, "MASTER_PORT"), "/value") == "29500");
}

TEST_CASE("what the user sets is left alone") {
  const Json manifest =
      rendered({"pytorch", {"--no-master", "--env=MASTER_PORT=1234", "--env=RANK=7"}});
  CHECK(variable(manifest, "MASTER_PORT") == yaml("{name: MASTER_PORT, value: '1234'}"));
  CHECK(variable(manifest, "RANK") == yaml("{name: RANK, value: '7'}"));
  CHECK(text_at(variable(manifest, "WORLD_SIZE"), "/value") == "1");
}

TEST_CASE("nothing is added beside a master, to elastic jobs, or to other kinds") {
  for (const testing::Line& line :
       {testing::Line{"pytorch", {}},
        testing::Line{"pytorch", {"--no-master", "--min-replicas=1", "--max-replicas=2"}},
        testing::Line{"tf", {"--no-master"}}, testing::Line{"jax", {}}}) {
    CHECK(dump(rendered(line)).find("MASTER_ADDR") == std::string::npos);
  }
}

TEST_CASE("every container of the pod gets the variables, sidecars included") {
  Json manifest = yaml(
      "{spec: {pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [{name: pytorch}, "
      "{name: side}]}}}}}}");
  add_rendezvous_environment(kind("pytorch"), manifest);
  CHECK(at(manifest, k_env).size() == 8);
  CHECK(at(manifest, "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/1/env").size() ==
        8);
  const Json once = manifest;
  add_rendezvous_environment(kind("pytorch"), manifest);
  CHECK(manifest == once);
}

}  // namespace TEST_FILE
