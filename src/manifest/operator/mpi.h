// Objects that an MPIJob needs besides its template: the launcher, the workers, and the
// configuration by which the launcher starts processes in them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "manifest/operator/operated_job.h"

namespace trainctl::job {

// The embedded cluster's kubelet does the work of an init container of this name itself.
inline constexpr std::string_view k_kubectl_delivery = "kubectl-delivery";
inline constexpr std::string_view k_kubectl_delivery_image =
    "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest";

std::string mpi_launcher_name(const OperatedJob& job);
std::string mpi_config_name(const OperatedJob& job);
// The launcher's service account: the user's, else one of the launcher's name.
std::string mpi_account_name(const OperatedJob& job);

Json mpi_launcher(const OperatedJob& job, const OperatedReplica& launcher);
Json mpi_worker(const OperatedJob& job, const OperatedReplica& worker, int index);
// OperatedKind::make_pod of MPIJobs: a launcher or a worker.
Json mpi_pod(const OperatedJob& job, const OperatedReplica& replica, int index);
Json mpi_account(const OperatedJob& job);
// The ConfigMap with hostfile, kubexec.sh and discover_hosts.sh; the last lists the running
// workers, sorted by name.
Json mpi_config(const OperatedJob& job, const std::vector<std::string>& running_workers);

}  // namespace trainctl::job
