// What a replica finds in its environment, read off its pod, or off the pod it would get.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/kind/replica.h"

namespace trainctl::work {

// Either a value, or where the cluster takes it from: "secret:NAME/KEY", "configmap:NAME/KEY",
// "field:status.podIP", "resource:limits.cpu". Values of secrets are never looked up. All keys of a
// secret or config map are one variable of the name "*", behind their prefix.
struct EnvironmentVariable {
  std::string name;
  std::string value;
  std::string from;  // "" = it has a value
};

// In the order of the container; of a name given twice the later one, as in the container. What the
// pod itself tells (its labels, its node) is filled in as far as it is known.
std::vector<EnvironmentVariable> environment_of(const Json& pod, const Json& container);

// The pod as the training operator would make it, for a job that need not exist.
Json pod_before_creation(const job::Kind& kind, const Json& job, const job::ReplicaId& replica);

}  // namespace trainctl::work
