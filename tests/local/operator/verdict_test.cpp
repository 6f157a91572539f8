// Pods as they are stored, and the jobs and pods that are refused.

#include "local/api/pod_rules.h"
#include "local/operator/operator_world.h"
#include "local/operator/reconcile.h"

namespace trainctl::testing {

namespace verdict_test {

using namespace local;

TEST_CASE("an MPIJob nobody could run says what is wrong") {
  const struct {
    std::string_view spec, expected;
  } rows[] = {
      {"{}", "MPIReplicaSpecs is not valid"},
      {"{mpiReplicaSpecs: {}}", "MPIReplicaSpec is not valid: Master ReplicaSpec must be present"},
      {"{mpiReplicaSpecs: {Launcher: {template: {spec: {containers: []}}}}}",
       "MPIReplicaSpecs is not valid: containers definition expected in Launcher"},
      {"{mpiReplicaSpecs: {launcher: {template: {spec: {containers: [{name: a, image: i}]}}}}}",
       "MPIReplicaType is launcher but must be one of [Launcher Worker]"},
      {"{mpiReplicaSpecs: {Worker: {template: {spec: {containers: [{name: a}]}}}}}",
       "MPIReplicaSpec is not valid: Image is undefined in the container of Worker"},
      {"{mpiReplicaSpecs: {Launcher: {replicas: 2, template: {spec: {containers: [{name: a, "
       "image: i}]}}}}}",
       "MPIReplicaSpec is not valid: There must be only 1 launcher replica"},
      {"{mpiReplicaSpecs: {Launcher: {template: {spec: {containers: [{name: a, image: i}]}}}}}",
       ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.spec);
    CHECK(mpi_fault(Json{{"spec", from_text(row.spec)}}) == row.expected);
  }
}

TEST_CASE("a stored pod has the defaults that the kubelet reads") {
  Json pod = from_text(
      "{metadata: {name: p, namespace: ml}, spec: {\n"
      "  containers: [{name: a, image: \"r/i:1\",\n"
      "    resources: {limits: {cpu: 0.5, memory: 1024Mi}}}, {name: b, image: i}]}}");
  set_pod_defaults(pod);
  const Json& spec = pod["spec"];
  CHECK(text_at(spec, "/restartPolicy") == "Always");
  CHECK(int_at(spec, "/terminationGracePeriodSeconds") == 30);
  CHECK(spec["containers"][0]["resources"]["requests"] == from_text("{cpu: 500m, memory: 1Gi}"));
  CHECK(text_at(spec, "/containers/0/imagePullPolicy") == "IfNotPresent");
  CHECK(text_at(spec, "/containers/1/imagePullPolicy") == "Always");
  CHECK(pod["status"] == from_text("{phase: Pending, qosClass: Burstable}"));
}

TEST_CASE("quality of service follows from requests and limits") {
  const auto quality = [](std::string_view resources) {
    Json pod =
        from_text(cat("{spec: {containers: [{name: a, image: i, resources: ", resources, "}]}}"));
    set_pod_defaults(pod);
    return text_at(pod, "/status/qosClass");
  };
  CHECK(quality("{}") == "BestEffort");
  CHECK(quality("{limits: {nvidia.com/gpu: 1}}") == "BestEffort");
  CHECK(quality("{requests: {cpu: 1}}") == "Burstable");
  CHECK(quality("{limits: {cpu: 1, memory: 1Gi}}") == "Guaranteed");
  CHECK(quality("{limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}") == "Burstable");
}

}  // namespace verdict_test

}  // namespace trainctl::testing
