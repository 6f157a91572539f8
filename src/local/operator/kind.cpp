// The rows of training-operator 1.9's six controllers.
#include "local/operator/kind.h"

#include <algorithm>

#include "local/operator/environment.h"
#include "local/operator/mpi.h"
#include "local/operator/pass.h"
#include "local/operator/verdict.h"

namespace trainctl::local {

namespace {

constexpr OperatorKind k_operator_kinds[] = {
    {.alias = "pytorch",
     .restart_policy = "OnFailure",
     .port_name = "pytorchjob-port",
     .port = 23456,
     .first_worker_leads = true,
     .selector_in_status = true,
     .deleted_reason = "SuccessfulDeletePod",
     .failed_reason = "PyTorchJobFailed",
     .elastic = true,
     .set_environment = set_pytorch_environment,
     .judge = judge_ranked,
     .reconcile_replicas = reconcile_pods_and_services},
    {.alias = "tf",
     .port_name = "tfjob-port",
     .port = 2222,
     .first_worker_leads = true,
     .failed_reason = "TFJobFailed",
     .set_environment = set_tf_environment,
     .judge = judge_tf,
     .reconcile_replicas = reconcile_pods_and_services},
    {.alias = "mpi",
     .failed_reason = "MPIJobMPIJobFailed",
     .clean_pod_policy = "/cleanPodPolicy",
     .missing_here =
         "does not connect a launcher with its workers: mpirun reaches this machine alone",
     .make_pod = mpi_pod,
     .judge = judge_led,
     .reconcile_replicas = reconcile_mpi,
     .fault = mpi_fault},
    {.alias = "xgboost",
     .port_name = "xgboostjob-port",
     .port = 9999,
     .failed_reason = "XGBoostJobFailed",
     .any_failure_runs = true,
     .set_environment = set_xgboost_environment,
     .judge = judge_led,
     .reconcile_replicas = reconcile_pods_and_services},
    {.alias = "paddle",
     .restart_policy = "OnFailure",
     .port_name = "master",
     .port = 36543,
     .selector_in_status = true,
     .deleted_reason = "SuccessfulDeletePod",
     .failed_reason = "PaddleJobFailed",
     .set_environment = set_paddle_environment,
     .judge = judge_ranked,
     .reconcile_replicas = reconcile_pods_and_services},
    {.alias = "jax",
     .port_name = "jaxjob-port",
     .port = 6666,
     .first_worker_leads = true,
     .selector_in_status = true,
     .honours_managed_by = false,
     .deleted_reason = "SuccessfulDeletePod",
     .failed_reason = "JAXJobFailed",
     .set_environment = set_jax_environment,
     .judge = judge_ranked,
     .reconcile_replicas = reconcile_pods_and_services},
};

}  // namespace

const job::Kind& OperatorKind::job_kind() const {
  const auto kinds = job::kinds();
  return *std::find_if(kinds.begin(), kinds.end(),
                       [this](const job::Kind& kind) { return kind.alias == alias; });
}

const OperatorKind* find_operator_kind(const job::Kind& kind) {
  for (const OperatorKind& row : k_operator_kinds) {
    if (row.alias == kind.alias) return &row;
  }
  return nullptr;
}

}  // namespace trainctl::local
