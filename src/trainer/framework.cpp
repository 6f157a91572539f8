// The rows of Trainer 2.3, and the variables that v1 programs expect.
#include "trainer/framework.h"

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/environment.h"

namespace trainctl::job {

const Kind& train_job_kind() {
  return *find_kind("trainjob");
}

namespace {

constexpr std::string_view k_index_variable = "TRAINCTL_NODE_INDEX";

// The ports of training-operator 1.9, so that a program with a fixed port finds it. PyTorch gets
// the one of Trainer, which torchrun reads, too.
constexpr int k_torch_port = 29500;
constexpr int k_tf_port = 2222;
constexpr int k_xgboost_port = 9999;
constexpr int k_paddle_port = 36543;
constexpr int k_jax_port = 6666;

Json index_as(std::string_view name) {
  return from_label(name, train_job_kind().controller.labels.index);
}

// JobSet's name of the pod in the job's headless service. The cluster expands the variable, which
// also knows a generated job name.
std::string address_of(std::int64_t node) {
  return cat("$(", k_job_variable, ")-node-0-", node, ".$(", k_job_variable, ")");
}

// A reference sees only the variables before it, so the job's name comes first.
std::vector<Json> with_job_name(std::vector<Json> variables) {
  variables.insert(variables.begin(),
                   {from_label(k_job_variable, train_job_kind().controller.labels.job),
                    kube::variable("PYTHONUNBUFFERED", "1")});
  return variables;
}

std::vector<Json> torch_variables(const World& world) {
  return with_job_name({kube::variable("MASTER_ADDR", address_of(0)),
                        kube::variable("MASTER_PORT", k_torch_port),
                        kube::variable("WORLD_SIZE", world.nodes * world.processes),
                        index_as("RANK"), kube::variable("LOCAL_RANK", "0")});
}

std::vector<Json> tf_variables(const World& world) {
  std::vector<std::string> addresses;
  for (std::int64_t node = 0; node < world.nodes; ++node) {
    addresses.push_back(cat('"', address_of(node), ':', k_tf_port, '"'));
  }
  // Text rather than a dumped object: the index is a number only after the cluster has put it in.
  const std::string config = cat(R"({"cluster":{"worker":[)", join(addresses, ","),
                                 R"(]},"task":{"type":"worker","index":$()", k_index_variable,
                                 R"()},"environment":"cloud"})");
  return with_job_name({index_as(k_index_variable), kube::variable("TF_CONFIG", config)});
}

std::vector<Json> xgboost_variables(const World& world) {
  std::vector<std::string> workers;
  for (std::int64_t node = 1; node < world.nodes; ++node) workers.push_back(address_of(node));
  return with_job_name({kube::variable("MASTER_ADDR", address_of(0)),
                        kube::variable("MASTER_PORT", k_xgboost_port),
                        kube::variable("WORLD_SIZE", world.nodes), index_as("RANK"),
                        kube::variable("WORKER_PORT", k_xgboost_port),
                        kube::variable("WORKER_ADDRS", join(workers, ","))});
}

std::vector<Json> paddle_variables(const World& world) {
  return with_job_name({kube::variable("PADDLE_JOB_ID", cat("$(", k_job_variable, ")")),
                        kube::variable("PADDLE_NNODES", world.nodes),
                        kube::variable("PADDLE_MASTER", cat(address_of(0), ':', k_paddle_port))});
}

std::vector<Json> jax_variables(const World& world) {
  return with_job_name({kube::variable("COORDINATOR_PORT", k_jax_port),
                        kube::variable("COORDINATOR_ADDRESS", address_of(0)),
                        kube::variable("NUM_PROCESSES", world.nodes), index_as("PROCESS_ID")});
}

// The reserved variables of pkg/constants in Trainer 2.3.
constexpr std::string_view k_torch_reserved[] = {
    "PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"};
constexpr std::string_view k_xgboost_reserved[] = {"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT",
                                                   "DMLC_TASK_ID", "DMLC_NUM_WORKER"};

// The runtimes are those of manifests/base/runtimes in Trainer 2.3.
constexpr Framework k_frameworks[] = {
    {.alias = "pytorch",
     .runtime = "torch-distributed",
     .policy = "torch",
     .reserved = k_torch_reserved,
     .variables = torch_variables},
    {.alias = "tf", .leader_becomes = "worker 0 of TF_CONFIG", .variables = tf_variables},
    {.alias = "xgboost",
     .runtime = "xgboost-distributed",
     .policy = "xgboost",
     .reserved = k_xgboost_reserved,
     .variables = xgboost_variables},
    {.alias = "paddle", .variables = paddle_variables},
    {.alias = "mpi", .policy = "mpi"},
    {.alias = "jax", .runtime = "jax-distributed", .policy = "jax", .variables = jax_variables},
};

}  // namespace

const Framework* find_framework(const Kind& kind) {
  for (const Framework& row : k_frameworks) {
    if (row.alias == kind.alias) return &row;
  }
  return nullptr;
}

}  // namespace trainctl::job
