// MPIJob of training-operator 1.9, whose pods manifest/operator/mpi.cpp makes.
#include "manifest/operator/mpi.h"

#include "manifest/kinds/kinds.h"

namespace trainctl::job {
namespace {

constexpr Role k_mpi_roles[] = {
    {.name = "Launcher",
     .prefix = "launcher",
     .duty = Duty::leads,
     .single = true,
     .numbered = false},
    {.name = "Worker", .prefix = "worker", .default_count = 0},
};

constexpr OperatedKind k_mpi_operated = {.clean_pod_policy = "/cleanPodPolicy",
                                         .make_pod = mpi_pod,
                                         .verdict_rule = VerdictRule::led,
                                         .failed_reason = "MPIJobMPIJobFailed"};

}  // namespace

Kind mpi_kind() {
  return {.alias = "mpi",
          .resource = {"kubeflow.org", "v1", "mpijobs", "MPIJob"},
          .replica_specs = "/spec/mpiReplicaSpecs",
          .container = "mpi",
          .roles = k_mpi_roles,
          .operator_name = "mpijob-controller",
          .leader = Leader::launcher,
          .service_per_pod = false,
          .container_required = false,
          .summary = "MPI and Horovod training (MPIJob)",
          .controller = k_training_operator,
          .operated = &k_mpi_operated};
}

}  // namespace trainctl::job
