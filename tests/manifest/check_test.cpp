// Manifests that a server refuses, or accepts and never runs: all are stopped before they are sent.
#include "manifest/check.h"

#include <doctest/doctest.h>

#include "base/value/yaml.h"
#include "manifest/rendering.h"
#include "manifest/templates.h"

namespace check_test {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::kind;
using trainctl::testing::rendered;
using trainctl::testing::yaml;

const std::string k_worker = "/spec/pytorchReplicaSpecs/Worker";
const std::string k_container = k_worker + "/template/spec/containers/0";

std::string fault(const Json& manifest, std::string_view alias = "pytorch") {
  const Status status = check_manifest(kind(alias), manifest);
  if (status) return "";
  CHECK(status.error().code == Code::usage);
  return status.error().message;
}

// The fault of a good manifest with one field changed; the value is YAML.
std::string fault_with(std::string_view pointer, std::string_view value,
                       std::string_view alias = "pytorch") {
  Json manifest = rendered({std::string(alias), {"--name=x"}});
  set_at(manifest, pointer, yaml(cat("[", value, "]")).at(0));
  return fault(manifest, alias);
}

Json named(std::string_view alias, std::size_t length, std::vector<std::string> flags = {}) {
  flags.push_back("--name=" + std::string(length, 'x'));
  return rendered({std::string(alias), flags});
}

TEST_CASE("a name too long for the pods' Services is refused with the job's own limit") {
  CHECK(fault(named("pytorch", 54)).empty());
  CHECK(fault(named("pytorch", 55)) ==
        "metadata.name: has 55 characters; at most 54 leave room for the names of its replicas");
  CHECK(fault(named("pytorch", 54, {"--workers=10"})).empty());
  CHECK(fault(named("pytorch", 54, {"--workers=11"})).find("at most 53 ") != std::string::npos);
  CHECK(fault(named("pytorch", 52, {"--workers=101"})).empty());
  CHECK(fault(named("tf", 55), "tf").find("at most 54 ") != std::string::npos);
  CHECK(fault(named("tf", 54, {"--evaluator=1"}), "tf").find("at most 51 ") != std::string::npos);
  CHECK(fault(named("tf", 55, {"--no-master"}), "tf").find("at most 54 ") != std::string::npos);
  CHECK(fault(named("tf", 58, {"--no-master", "--ps=1", "--workers=0"}), "tf").empty());
  CHECK(fault(named("mpi", 63), "mpi").empty());
}

TEST_CASE(
    "an MPIJob from a file may have 63 characters and begin with a digit: no service is named so") {
  struct Row {
    std::string name;
    std::string_view fault;
  };
  const Row rows[] = {
      {std::string(63, 'x'), ""},           {"1" + std::string(62, 'x'), ""}, {"1-pi", ""},
      {std::string(64, 'x'), "at most 63"}, {"-pi", "must start and end"},
  };
  Json manifest = *from_yaml(embedded_template(kind("mpi")), "job.yaml");
  for (const Row& row : rows) {
    CAPTURE(row.name);
    manifest["metadata"] = {{"name", row.name}};
    const std::string found = fault(manifest, "mpi");
    CHECK((row.fault.empty() ? found.empty() : found.find(row.fault) != std::string::npos));
  }
}

TEST_CASE("a generated name counts with the five characters the server adds") {
  CHECK(fault(rendered({"pytorch", {"--job-name-prefix=" + std::string(48, 'x')}})).empty());
  CHECK(fault(rendered({"pytorch", {"--job-name-prefix=" + std::string(49, 'x')}})) ==
        "metadata.generateName: has 50 characters; at most 49 leave room for the names of its "
        "replicas");
  CHECK(fault_with("/metadata", "{generateName: 1x-}").find("must start with a letter") !=
        std::string::npos);
}

TEST_CASE("a manifest without a name, or with a bad one, is refused") {
  CHECK(fault_with("/metadata", "{}") == "metadata.name: is missing");
  CHECK(fault_with("/metadata/name", "a.b") ==
        "metadata.name: 'a.b' may hold only lower-case letters, digits and '-'");
  CHECK(fault_with("/metadata/name", "1a") == "metadata.name: '1a' must start with a letter");
}

TEST_CASE("an empty replica map, which the server accepts for ever silent, is refused") {
  CHECK(fault_with("/spec/pytorchReplicaSpecs", "{}") == "spec.pytorchReplicaSpecs: is empty");
  CHECK(fault_with("/spec", "{}") == "spec.pytorchReplicaSpecs: is empty");
  CHECK(fault(rendered({"jax", {"--name=x", "--workers=0"}}), "jax") ==
        "spec.jaxReplicaSpecs: is empty");
  CHECK(fault_with("/spec/tfReplicaSpecs",
                   "{Worker: {replicas: 0, template: {spec: {containers: "
                   "[{name: tensorflow, image: i}]}}}}",
                   "tf") == "spec.tfReplicaSpecs: asks for no replica at all");
}

TEST_CASE("unknown roles are refused, the wrong case included") {
  CHECK(fault_with("/spec/pytorchReplicaSpecs/master", "{}") ==
        "spec.pytorchReplicaSpecs.master: is not a role");
  CHECK(fault_with("/spec/tfReplicaSpecs/Foo", "{}", "tf") ==
        "spec.tfReplicaSpecs.Foo: is not a role");
  CHECK(fault_with("/spec/tfReplicaSpecs/Master",
                   "{template: {spec: {containers: [{name: tensorflow, image: i}]}}}",
                   "tf") == "spec.tfReplicaSpecs: has more than one leading role");
}

TEST_CASE("replica counts the operator refuses are refused here") {
  const std::string master = "/spec/pytorchReplicaSpecs/Master/replicas";
  CHECK(fault_with(master, "2") == "spec.pytorchReplicaSpecs.Master.replicas: must be 1");
  CHECK(fault_with(master, "null") ==
        "spec.pytorchReplicaSpecs.Master.replicas: is missing; it must be 1");
  CHECK(fault_with(k_worker + "/replicas", "-1") ==
        "spec.pytorchReplicaSpecs.Worker.replicas: -1 is less than 0");
  CHECK(
      fault_with(k_worker + "/replicas", "2000000000") ==
      "spec.pytorchReplicaSpecs.Worker.replicas: 2000000000 is more than the 100000 replicas that "
      "a role may have");
  CHECK(fault_with(k_worker + "/replicas", "x") ==
        "spec.pytorchReplicaSpecs.Worker.replicas: is not a whole number");
  CHECK(fault_with(k_worker + "/replicas", "1.5") ==
        "spec.pytorchReplicaSpecs.Worker.replicas: is not a whole number");
  CHECK(fault_with("/spec/mpiReplicaSpecs/Launcher/replicas", "2", "mpi") ==
        "spec.mpiReplicaSpecs.Launcher.replicas: MPIJobs have at most one Launcher");
  Json headless = rendered({"xgboost", {"--name=x"}});
  headless["spec"]["xgbReplicaSpecs"].erase("Master");
  CHECK(fault(headless, "xgboost") == "spec.xgbReplicaSpecs: has no Master");
}

TEST_CASE("policies the schema does not check are checked") {
  CHECK(fault_with("/spec/runPolicy/cleanPodPolicy", "none").find("'none' is not a choice") !=
        std::string::npos);
  CHECK(fault_with(k_worker + "/restartPolicy", "Foo").find("'Foo' is none of Always") !=
        std::string::npos);
  CHECK(fault_with(k_container + "/imagePullPolicy", "Sometimes").find("'Sometimes' is not") !=
        std::string::npos);
  CHECK(fault_with("/spec/nprocPerNode", "banana").find("'banana' is not") != std::string::npos);
  CHECK(fault_with("/spec/nprocPerNode", "2") == "spec.nprocPerNode: is not text");
  CHECK(fault_with("/spec/nprocPerNode", "\"2\"").empty());
  CHECK(fault_with("/spec/successPolicy", "Nope", "tf").find("'Nope' is not") != std::string::npos);
  CHECK(fault_with("/spec/successPolicy", "\"\"", "tf").empty());
  CHECK(fault_with("/spec/runPolicy/backoffLimit", "-1") ==
        "spec.runPolicy.backoffLimit: -1 is less than 0");
  CHECK(fault_with("/spec/elasticPolicy", "{minReplicas: 4, maxReplicas: 2}") ==
        "spec.elasticPolicy: at least 4 workers and at most 2 contradict each other");
}

TEST_CASE("containers the operator cannot create are refused") {
  CHECK(fault_with(k_worker + "/template/spec/containers", "[]").find("there are none") !=
        std::string::npos);
  CHECK(fault_with(k_container + "/name", "main").find("none is named pytorch") !=
        std::string::npos);
  CHECK(fault_with("/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0/name", "main", "mpi")
            .empty());
  CHECK(fault_with(k_container + "/image", "\"\"").find("has no image") != std::string::npos);
  CHECK(fault_with(k_container + "/image", "null").find("has no image") != std::string::npos);
  CHECK(fault_with(k_worker + "/template/spec/containers/1", "{name: pytorch, image: i}")
            .find("has the name of another container") != std::string::npos);
  CHECK(fault_with(k_container + "/env", "[{name: A, value: 1}]")
            .find("the value of A is not text") != std::string::npos);
  CHECK(fault_with(k_container + "/env", "[{name: 'a b'}]").find("the name 'a b' may hold") !=
        std::string::npos);
}

TEST_CASE("resources no pod can have are refused") {
  const std::string resources = k_container + "/resources";
  CHECK(fault_with(resources, "{limits: {cpu: abc}}").find("not a Kubernetes quantity") !=
        std::string::npos);
  CHECK(fault_with(resources, "{limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}").empty());
  CHECK(fault_with(resources, "{limits: {cpu: 1}, requests: {cpu: 1001m}}")
            .ends_with("requests.cpu: 1001m is more than the limit of 1"));
  CHECK(fault_with(resources, "{requests: {nvidia.com/gpu: 1}}")
            .ends_with("requests.nvidia.com/gpu: has no limit"));
  CHECK(fault_with(resources, "{limits: {nvidia.com/gpu: 500m}}")
            .ends_with("500m is not a whole number"));
  CHECK(fault_with(resources, "{limits: {nvidia.com/gpu: -1}}").find("negative") !=
        std::string::npos);
}

TEST_CASE("slips in a pod that a job is accepted with, and never runs, are refused") {
  const std::string resources = k_container + "/resources";
  CHECK(fault_with(resources, "{limits: {cpu: null}}").ends_with("limits.cpu: is empty"));
  CHECK(fault_with(resources, "{limits: {cpu: 500m, memory: 512m}}")
            .ends_with("limits.memory: '512m' is a fraction of a byte: m means thousandths"));
  CHECK(fault_with(k_worker + "/template/spec/initContainers",
                   "[{name: a, image: i, resources: {limits: {memory: 512m}}}]")
            .find("is a fraction of a byte") != std::string::npos);
  CHECK(fault_with(k_worker + "/template/spec/volumes", "[{name: a, emptyDir: {sizeLimit: 1m}}]")
            .find("sizeLimit: '1m' is a fraction") != std::string::npos);
  CHECK(fault_with(k_worker + "/template/spec/volumes",
                   "[{name: a, emptyDir: {}}, {name: a, emptyDir: {}}]")
            .ends_with("volumes: two are named 'a'"));
  CHECK(fault_with(k_container + "/ports", "[{name: a-name-of-sixteen, containerPort: 1}]")
            .ends_with("has more than the 15 characters of a port name"));
  CHECK(fault_with(k_worker + "/template/spec/terminationGracePeriodSeconds", "'30'")
            .ends_with("terminationGracePeriodSeconds: is text, not a number"));
}

TEST_CASE("a mount of a volume that the pod does not have is refused") {
  CHECK(fault_with(k_container + "/volumeMounts", "[{name: data, mountPath: /d}]")
            .find("the pod has no volume 'data'") != std::string::npos);
  Json manifest = rendered({"pytorch", {"--name=x", "--pvc=a:/d"}});
  set_at(manifest, k_container + "/volumeMounts/1", yaml("{name: mount-d, mountPath: /d}"));
  CHECK(fault(manifest).find("/d is mounted twice") != std::string::npos);
}

TEST_CASE("labels and annotations the server refuses are refused") {
  CHECK(fault_with("/metadata/labels/a", "b c").find("'b c' may hold only") != std::string::npos);
  CHECK(fault_with("/metadata/labels/a", "1") == "metadata.labels.a: is not text");
  CHECK(fault_with("/metadata/labels", "{'b c': d}").find("the key may hold only") !=
        std::string::npos);
  CHECK(fault_with(k_worker + "/template/metadata/labels/a", "\"-\"").find("start and end") !=
        std::string::npos);
  Json manifest = rendered({"pytorch", {"--name=x"}});
  set_at(manifest, "/metadata/annotations/a", std::string(262143, 'x'));
  CHECK(fault(manifest).empty());
  set_at(manifest, "/metadata/annotations/a", std::string(262144, 'x'));
  CHECK(fault(manifest).find("at most 262144 are allowed") != std::string::npos);
}

TEST_CASE("invalid UTF-8 anywhere in a manifest is refused") {
  Json manifest = rendered({"pytorch", {"--name=x"}});
  set_at(manifest, "/metadata/annotations/a", "\xff");
  CHECK(fault(manifest) == "the manifest holds invalid UTF-8");
}

TEST_CASE("a manifest of another kind is not sent to this kind's place") {
  CHECK(fault(rendered({"tf", {"--name=x"}})) ==
        "the manifest's kind is not PyTorchJob of kubeflow.org/v1");
}

}  // namespace check_test
