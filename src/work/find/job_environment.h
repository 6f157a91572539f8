// The environment of each replica of a job, submitted or not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "work/find/find_job.h"
#include "work/find/replica_environment.h"

namespace trainctl::work {

struct ReplicaEnvironment {
  job::ReplicaId replica;
  std::optional<int> rank;
  std::string pod;  // "" = no pod yet: the environment that the operator would set
  std::string container;
  std::vector<EnvironmentVariable> variables;
};

// A job's pods and addresses in the cluster; empty for a job that is not submitted.
struct SubmittedPods {
  std::vector<Json> pods;
  LocalAddresses addresses;
};

// Warns when the pods may not be read.
Result<SubmittedPods> submitted_pods(Access& access, const FoundJob& job);

// Returns the environment of the replica that the job's reference names, else of all. `container`
// "" = the training container. Code::not_found when a replica has no such container, or no pod yet
// whose environment a runtime decides.
Result<std::vector<ReplicaEnvironment>> environments_of(const Access& access, const FoundJob& job,
                                                        const SubmittedPods& there,
                                                        const std::string& container);

}  // namespace trainctl::work
