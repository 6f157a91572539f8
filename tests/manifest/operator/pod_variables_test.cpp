// The variables by which a training finds its world, kind by kind, as on the real cluster.
#include "manifest/operator/pod_variables.h"

#include "manifest/operator/mpi.h"
#include "manifest/operator/operated.h"
#include "manifest/operator/wanted_objects.h"

namespace trainctl::testing {
namespace operator_environment_test {

using namespace job;

// "NAME=value" of a container, in order; a reference to a field shows as "NAME<-path".
std::string variables_of(const Json& container) {
  std::vector<std::string> found;
  for (const Json& each : array_at(container, "/env")) {
    const std::string field = text_at(each, "/valueFrom/fieldRef/fieldPath");
    found.push_back(cat(text_at(each, "/name"), field.empty() ? "=" : "<-",
                        field.empty() ? text_at(each, "/value") : field));
  }
  return join(found, "\n");
}

std::string variables(const Json& job, std::string_view role, int index) {
  const OperatedJob operated = read_job(job);
  const Json pod = wanted_pod(operated, *operated.find_role(role), index);
  return variables_of(array_at(pod, "/spec/containers")[0]);
}

const std::string k_pair = "{Master: {replicas: 1, T}, Worker: {replicas: 1, T}}";

struct Row {
  std::string_view what;
  Json job;
  std::string_view role;
  int index;
  std::string_view expected;
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(variables(row.job, row.role, row.index) == row.expected);
  }
}

TEST_CASE("PyTorch: ranks, world and master, as torchrun and init_process_group read them") {
  check_rows({
      {"a worker beside a master", make_job("pytorch", "np2", k_pair, "  nprocPerNode: \"2\""),
       "Worker", 0,
       "PYTHONUNBUFFERED=1\nMASTER_PORT=23456\nPET_MASTER_PORT=23456\nMASTER_ADDR=np2-master-0\n"
       "PET_MASTER_ADDR=np2-master-0\nWORLD_SIZE=4\nRANK=1\nPET_NODE_RANK=1\n"
       "PET_NPROC_PER_NODE=2\nPET_NNODES=2"},
      {"the master itself", make_job("pytorch", "ok", k_pair), "Master", 0,
       "PYTHONUNBUFFERED=1\nMASTER_PORT=23456\nPET_MASTER_PORT=23456\nMASTER_ADDR=ok-master-0\n"
       "PET_MASTER_ADDR=ok-master-0\nWORLD_SIZE=2\nRANK=0\nPET_NODE_RANK=0\n"
       "PET_NPROC_PER_NODE=auto\nPET_NNODES=2"},
      {"gpu counts as one process",
       make_job("pytorch", "gpu", "{Master: {replicas: 1, T}}", "  nprocPerNode: gpu"), "Master", 0,
       "PYTHONUNBUFFERED=1\nMASTER_PORT=23456\nPET_MASTER_PORT=23456\nMASTER_ADDR=gpu-master-0\n"
       "PET_MASTER_ADDR=gpu-master-0\nWORLD_SIZE=1\nRANK=0\nPET_NODE_RANK=0\n"
       "PET_NPROC_PER_NODE=gpu\nPET_NNODES=1"},
      {"workers alone have no ranks", make_job("pytorch", "w", "{Worker: {replicas: 3, T}}"),
       "Worker", 1, "PYTHONUNBUFFERED=1\nPET_NPROC_PER_NODE=auto\nPET_NNODES=3"},
      {"elastic",
       make_job("pytorch", "el", "{Worker: {replicas: 2, T}}",
                "  elasticPolicy: {minReplicas: 1, maxReplicas: 2}"),
       "Worker", 0,
       "PYTHONUNBUFFERED=1\nPET_NPROC_PER_NODE=auto\nPET_RDZV_ENDPOINT=el-worker-0:23456\n"
       "PET_RDZV_BACKEND=c10d\nPET_NNODES=1:2"},
      {"elastic without bounds",
       make_job("pytorch", "el", "{Worker: {replicas: 2, T}}",
                "  elasticPolicy: {rdzvBackend: etcd}"),
       "Worker", 1,
       "PYTHONUNBUFFERED=1\nPET_NPROC_PER_NODE=auto\nPET_RDZV_ENDPOINT=el-worker-0:23456\n"
       "PET_RDZV_BACKEND=etcd\nPET_NNODES=2:2"},
      {"every elastic field",
       make_job("pytorch", "el", "{Worker: {T}}",
                "  elasticPolicy: {maxReplicas: 4, rdzvHost: h, rdzvPort: 1, rdzvId: id,\n"
                "    maxRestarts: 3, nProcPerNode: 2, standalone: true,\n"
                "    rdzvConf: [{key: a, value: b}, {key: c, value: d}]}"),
       "Worker", 0,
       "PYTHONUNBUFFERED=1\nPET_RDZV_ENDPOINT=h:1\nPET_RDZV_BACKEND=c10d\nPET_NNODES=4:4\n"
       "PET_MAX_RESTARTS=3\nPET_NPROC_PER_NODE=2\nPET_RDZV_ID=id\nPET_RDZV_CONF=a=b,c=d\n"
       "PET_STANDALONE="},
  });
}

TEST_CASE("PyTorch: a port of the operator's own name replaces the default") {
  Json job = make_job("pytorch", "p", "{Master: {replicas: 1, T}}");
  set_at(job, "/spec/pytorchReplicaSpecs/Master/template/spec/containers/0/ports",
         from_text("[{name: other, containerPort: 5}, {name: pytorchjob-port, containerPort: 7}]"));
  CHECK(variables(job, "Master", 0).find("MASTER_PORT=7\n") != std::string::npos);
}

TEST_CASE("TensorFlow: TF_CONFIG lists every role, the evaluator too") {
  const std::string cluster =
      R"({"cluster":{"chief":["t-chief-0.ml.svc:2222"],"evaluator":["t-evaluator-0.ml.svc:2222"],)"
      R"("ps":["t-ps-0.ml.svc:2222"],"worker":["t-worker-0.ml.svc:2222","t-worker-1.ml.svc:2222"]},)";
  const Json all =
      make_job("tf", "t", "{Worker: {replicas: 2, T}, PS: {T}, Chief: {T}, Evaluator: {T}}");
  const Json dynamic = make_job("tf", "t", "{Worker: {replicas: 2, T}, PS: {T}, Chief: {T}}",
                                "  enableDynamicWorker: true");
  const std::string worker =
      "TF_CONFIG=" + cluster + R"("task":{"type":"worker","index":1},"environment":"cloud"})";
  check_rows({
      {"worker", all, "Worker", 1, worker},
      {"alone", make_job("tf", "one", "{Worker: {replicas: 1, T}}"), "Worker", 0, ""},
      {"dynamic worker", dynamic, "Worker", 1,
       R"(TF_CONFIG={"cluster":{"worker":{"1":"t-worker-1.ml.svc:2222"},)"
       R"("ps":["t-ps-0.ml.svc:2222"]},"task":{"type":"worker","index":1}})"},
      {"server of dynamic workers", dynamic, "PS", 0,
       R"(TF_CONFIG={"cluster":{"worker":{},"ps":["t-ps-0.ml.svc:2222"]},)"
       R"("task":{"type":"ps","index":0}})"},
      {"chief of dynamic workers", dynamic, "Chief", 0,
       R"(TF_CONFIG={"cluster":{"worker":{},"ps":[]},"task":{"type":"chief","index":0}})"},
  });
}

TEST_CASE("XGBoost, Paddle, JAX: their variables in their order") {
  const Json paddle = make_job("paddle", "pad", "{Master: {T}, Worker: {T}}");
  const Json collective = make_job("paddle", "c", "{Worker: {replicas: 2, T}}");
  check_rows({
      {"xgboost", make_job("xgboost", "x", "{Master: {replicas: 1, T}, Worker: {replicas: 2, T}}"),
       "Worker", 1,
       "MASTER_PORT=9999\nMASTER_ADDR=x-master-0\nWORLD_SIZE=3\nRANK=2\nPYTHONUNBUFFERED=1\n"
       "WORKER_PORT=9999\nWORKER_ADDRS=x-worker-0,x-worker-1"},
      {"xgboost alone", make_job("xgboost", "x", "{Master: {replicas: 1, T}}"), "Master", 0,
       "MASTER_PORT=9999\nMASTER_ADDR=x-master-0\nWORLD_SIZE=1\nRANK=0\nPYTHONUNBUFFERED=1"},
      {"paddle server", paddle, "Master", 0,
       "PYTHONUNBUFFERED=1\nPADDLE_JOB_ID=pad\nPADDLE_NNODES=2\nPOD_IP_DUMMY<-status.podIP\n"
       "PADDLE_MASTER=$(POD_IP_DUMMY):36543\nPADDLE_SERVER_NUM=1"},
      {"paddle trainer", paddle, "Worker", 0,
       "PYTHONUNBUFFERED=1\nPADDLE_JOB_ID=pad\nPADDLE_NNODES=2\n"
       "PADDLE_MASTER=pad-master-0:36543\nPADDLE_TRAINER_NUM=1"},
      {"paddle without master, worker 0", collective, "Worker", 0,
       "PYTHONUNBUFFERED=1\nPADDLE_JOB_ID=c\nPADDLE_NNODES=2\nPOD_IP_DUMMY<-status.podIP\n"
       "PADDLE_MASTER=$(POD_IP_DUMMY):36543"},
      {"paddle without master, another", collective, "Worker", 1,
       "PYTHONUNBUFFERED=1\nPADDLE_JOB_ID=c\nPADDLE_NNODES=2\nPADDLE_MASTER=c-worker-0:36543"},
      {"jax", make_job("jax", "j", "{Worker: {replicas: 2, T}}"), "Worker", 1,
       "PYTHONUNBUFFERED=1\nCOORDINATOR_PORT=6666\nCOORDINATOR_ADDRESS=j-worker-0\n"
       "NUM_PROCESSES=2\nPROCESS_ID=1"},
  });
}

TEST_CASE("every container gets the variables, behind what the user wrote, but no init container") {
  Json job = make_job("jax", "j", "{Worker: {T}}");
  set_at(job, "/spec/jaxReplicaSpecs/Worker/template/spec",
         from_text("{initContainers: [{name: first, image: i}],\n"
                   " containers: [{name: jax, image: i, env: [{name: PROCESS_ID, value: mine}]},\n"
                   "              {name: side, image: i}]}"));
  const OperatedJob operated = read_job(job);
  const Json pod = wanted_pod(operated, operated.replicas[0], 0);
  CHECK(variables_of(pod["spec"]["containers"][0]).starts_with("PROCESS_ID=mine\nPYTHONUN"));
  CHECK(variables_of(pod["spec"]["containers"][1]).ends_with("\nPROCESS_ID=0"));
  CHECK(variables_of(pod["spec"]["initContainers"][0]) == "");
}

TEST_CASE("MPI: the launcher finds its hosts and how to reach them") {
  const Json job = make_job("mpi", "mpi", "{Launcher: {T}, Worker: {replicas: 2, T}}",
                            "  slotsPerWorker: 2\n  mainContainer: mpi");
  const OperatedJob operated = read_job(job);
  const Json launcher = mpi_launcher(operated, *operated.find_role("Launcher"));
  CHECK(variables_of(launcher["spec"]["containers"][0]) ==
        "OMPI_MCA_plm_rsh_agent=/etc/mpi/kubexec.sh\n"
        "OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile\nNVIDIA_VISIBLE_DEVICES=\n"
        "NVIDIA_DRIVER_CAPABILITIES=\nI_MPI_HYDRA_BOOTSTRAP=rsh\n"
        "I_MPI_HYDRA_BOOTSTRAP_EXEC=/etc/mpi/kubexec.sh");
  const Json data = mpi_config(operated, {"mpi-worker-1", "mpi-worker-0"})["data"];
  CHECK(text_at(data, "/hostfile") == "mpi-worker-0 slots=2\nmpi-worker-1 slots=2\n");
  CHECK(text_at(data, "/discover_hosts.sh") ==
        "#!/bin/sh\necho mpi-worker-0:2\necho mpi-worker-1:2");
  CHECK(text_at(data, "/kubexec.sh") ==
        "#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n/opt/kube/kubectl exec ${POD_NAME} "
        "--container mpi -- /bin/sh -c \"$*\"");
}

TEST_CASE("MPI: a launcher with GPUs is a host and keeps its devices") {
  Json job = make_job("mpi", "g", "{Launcher: {T}}");
  set_at(job, "/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0",
         from_text("{name: mpi, image: i, resources: {limits: {nvidia.com/gpu: 1}},\n"
                   " env: [{name: I_MPI_HYDRA_BOOTSTRAP, value: ssh}]}"));
  const OperatedJob operated = read_job(job);
  CHECK(text_at(mpi_config(operated, {}), "/data/hostfile") == "g-launcher slots=1\n");
  CHECK(variables_of(mpi_launcher(operated, operated.replicas[0])["spec"]["containers"][0]) ==
        "I_MPI_HYDRA_BOOTSTRAP=ssh\nOMPI_MCA_plm_rsh_agent=/etc/mpi/kubexec.sh\n"
        "OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile\n"
        "I_MPI_HYDRA_BOOTSTRAP_EXEC=/etc/mpi/kubexec.sh");
}

}  // namespace operator_environment_test
}  // namespace trainctl::testing
