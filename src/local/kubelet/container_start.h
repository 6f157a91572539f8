// From a container's spec to what its guard is to start.
#pragma once

#include <string>
#include <variant>

#include "local/kubelet/container_environment.h"
#include "local/kubelet/guard.h"
#include "local/kubelet/kubelet_context.h"

namespace trainctl::local {

struct StartFault {
  std::string reason;  // CreateContainerConfigError, …; "FailedMount" is only an event
  std::string message;
};

// Looks up config maps and secrets of the pod's namespace.
ObjectSource object_source(const KubeletContext& context, const Json& pod);
// A fault while a volume cannot be had.
Status prepare_volumes(const KubeletContext& context, const Json& pod);

std::variant<GuardOrder, StartFault> plan_start(KubeletContext& context, const Json& pod,
                                                const Json& container,
                                                const std::string& attempt_directory);

// The file a container may leave its last words in, in its attempt's directory.
inline constexpr char k_termination_file[] = "termination-log";
// What is reported of it, by the container's terminationMessagePolicy.
std::string termination_message(const Json& container, const std::string& attempt_directory,
                                int exit_code);

}  // namespace trainctl::local
