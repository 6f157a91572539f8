// What a container's program finds in its environment, and its command line, as the kubelet makes
// them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "job/manifest/expansion.h"

namespace trainctl::local {

using job::Variables;

// Looks up the pod's namespace: `plural` is "configmaps" or "secrets". nullptr = there is none.
using ObjectSource =
    std::function<std::shared_ptr<const Json>(std::string_view plural, std::string_view name)>;

// One key of a config map (data, binaryData) or a secret, decoded. nullopt when it has no such key.
std::optional<std::string> data_of(const Json& object, std::string_view key);
// Every key, decoded.
Variables all_data_of(const Json& object);

// limits.cpu, requests.memory, … of a container, in units of the divisor, rounded up; what the
// container does not limit is the node's.
std::string resource_of_container(const Json& container, std::string_view resource,
                                  std::string_view divisor);

struct ContainerVariables {
  Variables values;
  // Those that name the pod itself (fieldRef): never taken for an address.
  std::vector<std::string> about_pod;
};
// The spec's own variables (envFrom, then env), without what the machine adds. The error's message
// is the one Kubernetes shows with CreateContainerConfigError.
Result<ContainerVariables> container_variables(const Json& pod, const Json& container,
                                               const ObjectSource& objects);

// command and args with variables expanded; empty when the spec names no program.
std::vector<std::string> command_line(const Json& container, const Variables& variables);

}  // namespace trainctl::local
