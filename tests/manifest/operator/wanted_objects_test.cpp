// Pods and services as they are sent: what kubectl and trainctl find them by.
#include "manifest/operator/wanted_objects.h"

#include "manifest/kinds/pytorch.h"
#include "manifest/operator/mpi.h"
#include "manifest/operator/operated.h"

namespace trainctl::testing {
namespace wanted_objects_test {

using namespace job;

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

TEST_CASE("the leader's pod carries the master role") {
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
  CHECK(service["spec"]["ports"] == from_text("[{port: 80, name: http},\n"
                                              " {port: 23456, name: pytorchjob-port}]"));
}

TEST_CASE("role names in any spelling are the operator's") {
  const OperatedJob job = read_job(make_job("tf", "t", "{worker: {T}, ps: {T}, Foo: {T}}"));
  REQUIRE(job.replicas.size() == 3);
  CHECK(job.replicas[0].role == "Foo");
  CHECK(job.replicas[1].role == "PS");
  CHECK(job.replicas[2].role == "Worker");
}

TEST_CASE("MPI workers wait for orders, and the launcher gets its tools") {
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

}  // namespace wanted_objects_test
}  // namespace trainctl::testing
