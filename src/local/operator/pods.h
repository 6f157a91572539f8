// From a job to the pods and services it wants: names, labels, owners, policies.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "local/operator/job.h"

namespace trainctl::local {

using ObjectPtr = std::shared_ptr<const Json>;

inline constexpr std::string_view k_label_master = "master";  // value of the job-role label

// The pod of a replica as the operator sends it to the API server (without that one's defaults).
Json wanted_pod(const OperatedJob& job, const Replica& replica, int index);

// The headless service of the same name; not for MPI, whose pods have none.
Json wanted_service(const OperatedJob& job, const Replica& replica, int index);

// The labels by which the operator finds what belongs to a job.
Json job_labels(const OperatedJob& job);

// {"ownerReferences": …}'s one entry.
Json owner_reference(const OperatedJob& job);

// A pod from a template: metadata that templates may carry, our name, labels and owner.
Json pod_from_template(const OperatedJob& job, const Json& pod_template, std::string_view name,
                       const Json& labels);

// What a pod's restartPolicy becomes: ExitCode is the operator's own business.
std::string pod_restart_policy(const Replica& replica);

// True when `object` carries all of `labels`.
bool has_labels(const Json& object, const Json& labels);

// The replica-index label, or -1.
int replica_index(const Json& pod);

// Neither finished nor being deleted.
bool is_active(const Json& pod);

// Those of one role among a job's pods (or services).
std::vector<ObjectPtr> of_role(std::span<const ObjectPtr> objects, std::string_view type);

}  // namespace trainctl::local
