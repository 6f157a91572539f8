// mpi-operator's MPIJob, the successor of training-operator's.
#include "manifest/kinds/kinds.h"

namespace trainctl::job {
namespace {

// mpi-operator makes a Job of the launcher.
constexpr Role k_mpi_operator_roles[] = {
    {.name = "Launcher",
     .prefix = "launcher",
     .duty = Duty::leads,
     .single = true,
     .numbered = false,
     .restart_policy = "OnFailure"},
    {.name = "Worker", .prefix = "worker", .never_empty = true, .default_count = 0},
};

// The labels that mpi-operator 0.8 puts on its pods (pkg/apis/kubeflow/v2beta1/types.go). A Job
// makes the launcher's pods, one after another as they fail. The label with an index counts a
// launcher that works as well, so that index differs from the one in a worker's name.
constexpr PodLabels k_mpi_operator_labels = {.job = k_label_job_name,
                                             .role = k_label_job_role,
                                             .index = "",
                                             .operator_name = k_label_operator};
constexpr Helper k_mpi_operator_helpers[] = {{.kind = "Job", .per_role = true}};

constexpr Controller k_mpi_operator = {.run_policy = "/spec/runPolicy",
                                       .suspend = "/spec/runPolicy/suspend",
                                       .labels = k_mpi_operator_labels,
                                       .pod_naming = {.random_tail = 5, .tail_behind_index = false},
                                       .bounds_retries = true,
                                       .suspension_pauses = true,
                                       .restart_policies = "OnFailure Never",
                                       .managed_by_values =
                                           "kubeflow.org/mpi-operator "
                                           "kueue.x-k8s.io/multikueue",
                                       .helpers = k_mpi_operator_helpers};

}  // namespace

Kind mpi_operator_kind() {
  return {.alias = "mpi",
          .resource = {"kubeflow.org", "v2beta1", "mpijobs", "MPIJob"},
          .replica_specs = "/spec/mpiReplicaSpecs",
          .container = "mpi",
          .roles = k_mpi_operator_roles,
          .operator_name = "mpi-operator",
          .leader = Leader::launcher,
          .container_required = false,
          .summary = "MPI and Horovod training (MPIJob of mpi-operator)",
          .controller = k_mpi_operator,
          .shape = "MPIJobV2"};
}

}  // namespace trainctl::job
