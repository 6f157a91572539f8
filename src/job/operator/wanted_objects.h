// From a job to the pods and services it wants: names, labels, owners, policies.
#pragma once

#include <string>

#include "job/operator/operated_job.h"

namespace trainctl::job {

inline constexpr std::string_view k_label_master = "master";  // value of the job-role label

// The pod of a replica as the operator sends it to the API server (without that one's defaults).
Json wanted_pod(const OperatedJob& job, const OperatedReplica& replica, int index);

// The headless service of the same name; not for MPI, whose pods have none.
Json wanted_service(const OperatedJob& job, const OperatedReplica& replica, int index);

// The labels by which the operator finds what belongs to a job.
Json job_labels(const OperatedJob& job);

// {"ownerReferences": …}'s one entry.
Json owner_reference(const OperatedJob& job);

// A pod from a template: metadata that templates may carry, our name, labels and owner.
Json pod_from_template(const OperatedJob& job, const Json& pod_template, std::string_view name,
                       const Json& labels);

// What a pod's restartPolicy becomes: ExitCode is the operator's own business.
std::string pod_restart_policy(const OperatedReplica& replica);

}  // namespace trainctl::job
