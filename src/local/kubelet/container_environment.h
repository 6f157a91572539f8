// The environment and the command line of a container's program, built as the kubelet does.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/environment.h"

namespace trainctl::local {

using job::Variables;

// Looks up an object in the pod's namespace; `plural` is "configmaps" or "secrets". nullptr = there
// is none.
using ObjectSource =
    std::function<std::shared_ptr<const Json>(std::string_view plural, std::string_view name)>;

// The decoded value of one key of a config map (data, binaryData) or a secret; nullopt when it has
// no such key.
std::optional<std::string> data_of(const Json& object, std::string_view key);
// All keys with their decoded values.
Variables all_data_of(const Json& object);

// The value of limits.cpu, requests.memory, … of a container, in units of the divisor, rounded up;
// without a limit, the node's value.
std::string resource_of_container(const Json& container, std::string_view resource,
                                  std::string_view divisor);

struct ContainerVariables {
  Variables values;
  // Names of variables that come from the pod itself (fieldRef); these are never rewritten as
  // addresses.
  std::vector<std::string> about_pod;
};
// The variables from the spec (envFrom, then env), without those of the machine. The error's
// message is the one that Kubernetes shows with CreateContainerConfigError.
Result<ContainerVariables> container_variables(const Json& pod, const Json& container,
                                               const ObjectSource& objects);

// The command and args with variables expanded; empty when the spec names no program.
std::vector<std::string> command_line(const Json& container, const Variables& variables);

}  // namespace trainctl::local
