// The environment of each replica of a job, submitted or not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// Reads a replica's environment from its pod, or from the pod it would get. Either a value, or
// where the cluster takes it from: "secret:NAME/KEY", "configmap:NAME/KEY", "field:status.podIP",
// "resource:limits.cpu". Values of secrets are never looked up. All keys of a secret or config map
// are one variable of the name "*", behind their prefix.
struct EnvironmentVariable {
  std::string name;
  std::string value;
  std::string from;  // "" = it has a value
};

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
