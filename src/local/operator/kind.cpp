// The rows of training-operator 1.9's six controllers.
#include "local/operator/kind.h"

#include "job/operator/operated_job.h"
#include "local/operator/mpi_fault.h"
#include "local/operator/pass.h"
#include "local/operator/verdict.h"

namespace trainctl::local {

namespace {

constexpr ControllerRules k_controller_rules[] = {
    {.alias = "pytorch",
     .selector_in_status = true,
     .deleted_reason = "SuccessfulDeletePod",
     .failed_reason = "PyTorchJobFailed",
     .elastic = true,
     .judge = judge_ranked,
     .reconcile_replicas = reconcile_pods_and_services},
    {.alias = "tf",
     .failed_reason = "TFJobFailed",
     .judge = judge_tf,
     .reconcile_replicas = reconcile_pods_and_services},
    {.alias = "mpi",
     .failed_reason = "MPIJobMPIJobFailed",
     .judge = judge_led,
     .reconcile_replicas = reconcile_mpi,
     .fault = mpi_fault},
    {.alias = "xgboost",
     .failed_reason = "XGBoostJobFailed",
     .any_failure_runs = true,
     .judge = judge_led,
     .reconcile_replicas = reconcile_pods_and_services},
    {.alias = "paddle",
     .selector_in_status = true,
     .deleted_reason = "SuccessfulDeletePod",
     .failed_reason = "PaddleJobFailed",
     .judge = judge_ranked,
     .reconcile_replicas = reconcile_pods_and_services},
    {.alias = "jax",
     .selector_in_status = true,
     .honours_managed_by = false,
     .deleted_reason = "SuccessfulDeletePod",
     .failed_reason = "JAXJobFailed",
     .judge = judge_ranked,
     .reconcile_replicas = reconcile_pods_and_services},
};

}  // namespace

const ControllerRules* find_controller_rules(const job::Kind& kind) {
  // Versions of a kind share the alias.
  if (job::find_operated_kind(kind) == nullptr) return nullptr;
  for (const ControllerRules& row : k_controller_rules) {
    if (row.alias == kind.alias) return &row;
  }
  return nullptr;
}

const ControllerRules& controller_rules(const job::OperatedJob& job) {
  return *find_controller_rules(job.kind->job_kind());
}

}  // namespace trainctl::local
