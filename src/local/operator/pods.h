// Builds the pods and services of a job: names, labels, owners, policies.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "local/operator/job.h"

namespace trainctl::local {

using ObjectPtr = std::shared_ptr<const Json>;

inline constexpr std::string_view k_label_master = "master";  // value of the job-role label

// The pod of a replica as the operator sends it to the API server (without that server's defaults).
Json wanted_pod(const OperatedJob& job, const Replica& replica, int index);

// The headless service with the pod's name; not for MPI, whose pods have none.
Json wanted_service(const OperatedJob& job, const Replica& replica, int index);

// The labels by which the operator finds a job's pods and services.
Json job_labels(const OperatedJob& job);

// The entry for "ownerReferences".
Json owner_reference(const OperatedJob& job);

// Builds a pod from a template: the metadata that templates may carry, with our name, labels and
// owner.
Json pod_from_template(const OperatedJob& job, const Json& pod_template, std::string_view name,
                       const Json& labels);

// The restartPolicy of a pod; the operator itself implements ExitCode.
std::string pod_restart_policy(const Replica& replica);

// True when `object` carries all of `labels`.
bool has_labels(const Json& object, const Json& labels);

// The replica-index label, or -1.
int replica_index(const Json& pod);

// True when the pod is neither finished nor being deleted.
bool is_active(const Json& pod);

// The pods (or services) of one role among a job's.
std::vector<ObjectPtr> of_role(std::span<const ObjectPtr> objects, std::string_view type);

}  // namespace trainctl::local
