// Builds the pods and services of a job: names, labels, owners, policies.
#pragma once

#include <string>

#include "manifest/kind/replica.h"
#include "manifest/operator/operated_job.h"

namespace trainctl::job {

inline constexpr std::string_view k_label_master = "master";  // value of the job-role label

// The pod of a replica as the operator sends it to the API server (without that server's defaults).
Json wanted_pod(const OperatedJob& job, const OperatedReplica& replica, int index);

// The pod of a replica of a job that need not exist; an empty object for kinds whose
// pods a runtime describes.
// A generated name ends in question marks.
Json predicted_pod(const Kind& kind, const Json& job, const ReplicaId& replica);

// The same of mpi-operator, without volumes and labels.
Json mpi_operator_pod(const Kind& kind, const Json& job, const ReplicaId& replica);

// The headless service with the pod's name; not for MPI, whose pods have none.
Json wanted_service(const OperatedJob& job, const OperatedReplica& replica, int index);

// The labels by which the operator finds a job's pods and services.
Json job_labels(const OperatedJob& job);

// The entry for "ownerReferences".
Json owner_reference(const OperatedJob& job);

// Builds a pod from a template: the metadata that templates may carry, with our name, labels and
// owner.
Json pod_from_template(const OperatedJob& job, const Json& pod_template, std::string_view name,
                       const Json& labels);

// The restartPolicy of a pod; the operator itself implements ExitCode.
std::string pod_restart_policy(const OperatedReplica& replica);

}  // namespace trainctl::job
