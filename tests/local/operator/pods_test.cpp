// Pods and services as they are stored: what kubectl and trainctl find them by, and run them with.
#include "local/operator/pods.h"

#include "local/api/pod_check.h"
#include "local/api/pod_defaults.h"
#include "local/operator/environment.h"
#include "local/operator/mpi.h"
#include "local/operator/operator_world.h"

namespace trainctl::testing {
namespace {

using namespace local;

Json pod_of(const Json& job, std::string_view role, int index) {
  const OperatedJob operated = read_job(job);
  return wanted_pod(operated, *operated.find_role(role), index);
}

std::string label(const Json& object, std::string_view name) {
  return text_at(object, cat("/metadata/labels/training.kubeflow.org~1", name), "-");
}

TEST_CASE("a pod is found by the labels trainctl asks for, and belongs to its job") {
  Json job = make_job("pytorch", "ddp", "{Worker: {replicas: 2, T}}");
  set_at(job, "/metadata/uid", "u");
  set_at(job, "/spec/pytorchReplicaSpecs/Worker/template/metadata",
         from_text("{name: mine, labels: {a: b}, annotations: {c: d}}"));
  const Json pod = pod_of(job, "Worker", 1);
  CHECK(text_at(pod, "/metadata/name") == "ddp-worker-1");
  CHECK(label(pod, "job-name") == "ddp");
  CHECK(label(pod, "operator-name") == "pytorchjob-controller");
  CHECK(label(pod, "replica-type") == "worker");
  CHECK(label(pod, "replica-index") == "1");
  CHECK(text_at(pod, "/metadata/labels/a") == "b");
  CHECK(text_at(pod, "/metadata/annotations/c") == "d");
  CHECK(pod["metadata"]["ownerReferences"] ==
        from_text("[{apiVersion: kubeflow.org/v1, blockOwnerDeletion: true, controller: true,\n"
                  "  kind: PyTorchJob, name: ddp, uid: u}]"));
}

TEST_CASE("the pod whose log tells the story carries the master role") {
  const struct {
    std::string_view alias, replicas, role;
    int index;
    std::string_view expected;
  } rows[] = {
      {"pytorch", "{Master: {T}, Worker: {T}}", "Master", 0, "master"},
      {"pytorch", "{Master: {T}, Worker: {T}}", "Worker", 0, "-"},
      {"pytorch", "{Worker: {replicas: 2, T}}", "Worker", 0, "master"},
      {"pytorch", "{Worker: {replicas: 2, T}}", "Worker", 1, "-"},
      {"tf", "{Chief: {T}, Worker: {T}}", "Chief", 0, "master"},
      {"tf", "{PS: {T}, Worker: {T}}", "Worker", 0, "master"},
      {"tf", "{PS: {T}, Worker: {T}}", "PS", 0, "-"},
      {"xgboost", "{Master: {T}, Worker: {T}}", "Master", 0, "master"},
      {"paddle", "{Master: {T}, Worker: {T}}", "Master", 0, "master"},
      {"paddle", "{Worker: {T}}", "Worker", 0, "-"},
      {"jax", "{Worker: {T}}", "Worker", 0, "master"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.alias);
    CAPTURE(row.replicas);
    const Json job = make_job(row.alias, "j", std::string(row.replicas));
    CHECK(label(pod_of(job, row.role, row.index), "job-role") == row.expected);
  }
}

TEST_CASE("restart policies of a job become those of pods") {
  const struct {
    std::string_view alias, written, expected;
  } rows[] = {
      {"pytorch", "", "OnFailure"},
      {"paddle", "", "OnFailure"},
      {"tf", "", "Never"},
      {"xgboost", "", "Never"},
      {"jax", "", "Never"},
      {"jax", ", restartPolicy: ExitCode", "Never"},
      {"tf", ", restartPolicy: Foo", "Foo"},
      {"tf", ", restartPolicy: Always", "Always"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.alias);
    CAPTURE(row.written);
    const Json job = make_job(row.alias, "j", cat("{Worker: {replicas: 1", row.written, ", T}}"));
    CHECK(text_at(pod_of(job, "Worker", 0), "/spec/restartPolicy") == row.expected);
  }
}

TEST_CASE("workers wait for their master's name, unless there is none") {
  const Json job = make_job("pytorch", "d", "{Master: {T}, Worker: {T}}");
  const Json init = array_at(pod_of(job, "Worker", 0), "/spec/initContainers");
  REQUIRE(init.size() == 1);
  CHECK(text_at(init[0], "/name") == k_init_pytorch);
  CHECK(text_at(init[0], "/image") == k_init_pytorch_image);
  CHECK(text_at(init[0], "/command/2").find("nslookup d-master-0;") != std::string::npos);
  CHECK(text_at(init[0], "/resources/requests/cpu") == "50m");
  CHECK(find(pod_of(job, "Master", 0), "/spec/initContainers") == nullptr);
  CHECK(find(pod_of(make_job("pytorch", "d", "{Worker: {T}}"), "Worker", 0),
             "/spec/initContainers") == nullptr);
}

TEST_CASE("a service per pod is headless and has the named ports") {
  Json job = make_job("pytorch", "d", "{Worker: {T}}");
  set_at(job, "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/ports",
         from_text("[{name: http, containerPort: 80}]"));
  const OperatedJob operated = read_job(job);
  const Json service = wanted_service(operated, operated.replicas[0], 0);
  CHECK(text_at(service, "/metadata/name") == "d-worker-0");
  CHECK(label(service, "replica-index") == "0");
  CHECK(label(service, "job-role") == "-");
  CHECK(text_at(service, "/spec/clusterIP") == "None");
  CHECK(service["spec"]["selector"] == service["metadata"]["labels"]);
  CHECK(service["spec"]["ports"] ==
        from_text("[{port: 80, protocol: TCP, targetPort: 80, name: http},\n"
                  " {port: 23456, protocol: TCP, targetPort: 23456, name: pytorchjob-port}]"));
}

TEST_CASE("role names in any spelling are the operator's") {
  const OperatedJob job = read_job(make_job("tf", "t", "{worker: {T}, ps: {T}, Foo: {T}}"));
  REQUIRE(job.replicas.size() == 3);
  CHECK(job.replicas[0].role == "Foo");
  CHECK(job.replicas[1].role == "PS");
  CHECK(job.replicas[2].role == "Worker");
}

TEST_CASE("MPI workers wait to be told, and the launcher gets its tools") {
  const OperatedJob job =
      read_job(make_job("mpi", "m", "{Launcher: {T}, Worker: {replicas: 1, T}}"));
  const Json worker = mpi_worker(job, *job.find_role("Worker"), 0);
  CHECK(text_at(worker, "/metadata/name") == "m-worker-0");
  CHECK(worker["spec"]["containers"][0]["command"] == from_text("[sleep]"));
  CHECK(worker["spec"]["containers"][0]["args"] == from_text("[365d]"));
  CHECK(int_at(worker, "/spec/volumes/0/configMap/items/0/mode") == 0555);
  const Json launcher = mpi_launcher(job, *job.find_role("Launcher"));
  CHECK(text_at(launcher, "/metadata/name") == "m-launcher");
  CHECK(label(launcher, "replica-index") == "-");
  CHECK(label(launcher, "job-role") == "master");
  CHECK(text_at(launcher, "/spec/serviceAccountName") == "m-launcher");
  CHECK(text_at(launcher, "/spec/initContainers/0/name") == k_kubectl_delivery);
  CHECK(text_at(launcher, "/spec/initContainers/0/resources/limits/ephemeral-storage") == "5Gi");
  CHECK(text_at(launcher, "/spec/containers/0/volumeMounts/1/mountPath") == "/etc/mpi");
  CHECK(text_at(launcher, "/spec/volumes/1/configMap/name") == "m-config");
  CHECK(find(launcher, "/spec/containers/0/ports") == nullptr);
}

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

TEST_CASE("a stored pod has what the API server fills in") {
  Json pod = from_text(
      "{metadata: {name: p, namespace: ml}, spec: {\n"
      "  tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists}],\n"
      "  containers: [{name: a, image: \"r/i:1\", env: [{name: E, value: \"\"}],\n"
      "    resources: {limits: {cpu: 0.5, memory: 1024Mi}}}, {name: b, image: i}]}}");
  set_pod_defaults(pod);
  const Json& spec = pod["spec"];
  CHECK(text_at(spec, "/dnsPolicy") == "ClusterFirst");
  CHECK(text_at(spec, "/restartPolicy") == "Always");
  CHECK(text_at(spec, "/schedulerName") == "default-scheduler");
  CHECK(int_at(spec, "/terminationGracePeriodSeconds") == 30);
  CHECK(text_at(spec, "/serviceAccount") == "default");
  CHECK(spec["tolerations"].size() == 2);
  CHECK(text_at(spec, "/tolerations/1/key") == "node.kubernetes.io/unreachable");
  CHECK(spec["containers"][0]["resources"]["requests"] == from_text("{cpu: 500m, memory: 1Gi}"));
  CHECK(spec["containers"][0]["env"][0] == from_text("{name: E}"));
  CHECK(text_at(spec, "/containers/0/imagePullPolicy") == "IfNotPresent");
  CHECK(text_at(spec, "/containers/1/imagePullPolicy") == "Always");
  CHECK(pod["status"] == from_text("{phase: Pending, qosClass: Burstable}"));
}

TEST_CASE("quantities are stored as the server writes them") {
  const struct {
    std::string_view text, expected;
  } rows[] = {{"1024Mi", "1Gi"}, {"1.5Gi", "1536Mi"}, {"1500m", "1500m"}, {"1000m", "1"},
              {"0.5", "500m"},   {"2000", "2k"},      {"100Mi", "100Mi"}, {"0", "0"},
              {"1e3", "1e3"},    {"junk", "junk"},    {"5Gi", "5Gi"}};
  for (const auto& row : rows) CHECK(canonical_quantity(row.text) == row.expected);
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

TEST_CASE("a template the API server would refuse is refused in its words") {
  const struct {
    std::string_view spec, expected;
  } rows[] = {
      {"containers: [{name: a, image: i}], restartPolicy: Foo",
       "spec.restartPolicy: Unsupported value: \"Foo\": supported values: \"Always\", "
       "\"OnFailure\", \"Never\""},
      {"containers: [{name: a, image: i, imagePullPolicy: Sometimes}]",
       "spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: "
       "\"Always\", \"IfNotPresent\", \"Never\""},
      {"containers: [{name: a, image: i, volumeMounts: [{name: v, mountPath: /v}]}]",
       "spec.containers[0].volumeMounts[0].name: Not found: \"v\""},
      {"containers: [{name: a, image: i, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]",
       "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal "
       "to cpu limit of 1"},
      {"containers: [{name: a, image: i, resources: {requests: {nvidia.com/gpu: 1}}}]",
       "spec.containers[0].resources.limits: Required value: Limit must be set for non "
       "overcommitable resources"},
      {"containers: [{name: a, image: i, env: [{name: \"A=B\"}]}]",
       "spec.containers[0].env[0].name: Invalid value: \"A=B\": a valid environment variable name "
       "must consist only of printable ASCII characters other than '='"},
      {"containers: [{name: a, image: i}], initContainers: [{name: a}]",
       "spec.initContainers[0].name: Duplicate value: \"a\"\n"
       "spec.initContainers[0].image: Required value"},
      {"containers: [{name: a, image: i, ports: [{containerPort: 70000}]}]",
       "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and "
       "65535, inclusive"},
      {"containers: [{name: a, image: i}]", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.spec);
    Json pod = from_text(cat("{metadata: {name: p, namespace: ml}, spec: {", row.spec, "}}"));
    set_pod_defaults(pod);
    std::vector<std::string> lines;
    for (const FieldFault& fault : pod_faults(pod)) {
      lines.push_back(cat(fault.field, ": ", fault.message));
    }
    CHECK(join(lines, "\n") == row.expected);
  }
}

}  // namespace
}  // namespace trainctl::testing
