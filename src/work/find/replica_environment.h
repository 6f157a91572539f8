// Reads a replica's environment from its pod, or from the pod it would get.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"

namespace trainctl::work {

// Either a value, or where the cluster takes it from: "secret:NAME/KEY", "configmap:NAME/KEY",
// "field:status.podIP", "resource:limits.cpu". Values of secrets are never looked up. All keys of a
// secret or config map are one variable of the name "*", behind their prefix.
struct EnvironmentVariable {
  std::string name;
  std::string value;
  std::string from;  // "" = it has a value
};

// Returns the variables in the container's order; a name given twice has its later value, as in the
// container. Values taken from the pod (its labels, its node) are filled in as far as they are
// known.
std::vector<EnvironmentVariable> environment_of(const Json& pod, const Json& container);

}  // namespace trainctl::work
