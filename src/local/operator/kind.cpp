// The rows of training-operator 1.9's six controllers.
#include "local/operator/kind.h"

#include "base/text/text.h"
#include "local/operator/reconcile.h"
#include "local/operator/verdict.h"
#include "manifest/operator/operated_job.h"

namespace trainctl::local {

std::string mpi_fault(const Json& job) {
  const Json* map = find(job, "/spec/mpiReplicaSpecs");
  if (map == nullptr || !map->is_object()) return "MPIReplicaSpecs is not valid";
  for (const auto& [role, spec] : map->items()) {
    const Json& containers = array_at(spec, "/template/spec/containers");
    if (containers.empty()) {
      return cat("MPIReplicaSpecs is not valid: containers definition expected in ", role);
    }
    if (role != "Launcher" && role != "Worker") {
      return cat("MPIReplicaType is ", role, " but must be one of [Launcher Worker]");
    }
    for (const Json& container : containers) {
      const bool no_image = text_at(container, "/image").empty();
      if (!no_image && !text_at(container, "/name").empty()) continue;
      return cat("MPIReplicaSpec is not valid: ", no_image ? "Image" : "ImageName",
                 " is undefined in the container of ", role);
    }
    if (role == "Launcher" && int_at(spec, "/replicas").value_or(1) != 1) {
      return "MPIReplicaSpec is not valid: There must be only 1 launcher replica";
    }
  }
  if (find(*map, "/Launcher") == nullptr) {
    return "MPIReplicaSpec is not valid: Master ReplicaSpec must be present";
  }
  return "";
}

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
