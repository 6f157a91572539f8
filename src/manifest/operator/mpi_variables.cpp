// The variables of mpi-operator 0.6 and later (pkg/controller/mpi_job_controller.go), in its order.
#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "manifest/operator/mpi.h"
#include "manifest/operator/wanted_objects.h"

namespace trainctl::job {
namespace {

struct MpirunVariable {
  std::string_view implementation, name, value;  // "" = of all implementations; SLOTS is a number
};
constexpr MpirunVariable k_mpirun_variables[] = {
    {"OpenMPI", "OMPI_MCA_orte_keep_fqdn_hostnames", "true"},
    {"OpenMPI", "OMPI_MCA_orte_default_hostfile", "/etc/mpi/hostfile"},
    {"OpenMPI", "OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10"},
    {"OpenMPI", "OMPI_MCA_orte_set_default_slots", "SLOTS"},
    {"Intel", "I_MPI_HYDRA_HOST_FILE", "/etc/mpi/hostfile"},
    {"Intel", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "-o ConnectionAttempts=10"},
    {"Intel", "I_MPI_PERHOST", "SLOTS"},
    {"MPICH", "HYDRA_HOST_FILE", "/etc/mpi/hostfile"},
    {"MPICH", "HYDRA_LAUNCH_EXTRA_ARGS", "-o ConnectionAttempts=10"},
    {"", "NVIDIA_VISIBLE_DEVICES", ""},
    {"", "NVIDIA_DRIVER_CAPABILITIES", ""},
};

}  // namespace

Json mpi_operator_pod(const Kind& kind, const Json& job, const ReplicaId& replica) {
  Json pod = object_at(job, cat(kind.replica_specs, '/', replica.role->name, "/template"));
  Json& containers = list_in(object_in(pod, "spec"), "containers");
  if (containers.empty()) return pod;
  Json& variables = list_in(containers.front(), "env");
  variables.push_back(kube::variable("K_MPI_JOB_ROLE", lower(replica.role->name)));
  const std::string implementation = text_at(job, "/spec/mpiImplementation", "OpenMPI");
  const std::string slots = std::to_string(int_at(job, "/spec/slotsPerWorker").value_or(1));
  for (const MpirunVariable& row : k_mpirun_variables) {
    const bool is_set = row.implementation.empty() ? !true_at(job, "/spec/runLauncherAsWorker")
                                                   : row.implementation == implementation;
    if (!replica.role->leads() || !is_set) continue;
    variables.push_back(kube::variable(row.name, row.value == "SLOTS" ? slots : row.value));
  }
  return pod;
}

}  // namespace trainctl::job
