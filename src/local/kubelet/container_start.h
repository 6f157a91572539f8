// Turns a container's spec into the order for its guard.
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

// Sets up the pod's volumes; fails while one is not available.
Status prepare_volumes(const KubeletContext& context, const Json& pod);

std::variant<GuardOrder, StartFault> plan_start(KubeletContext& context, const Json& pod,
                                                const Json& container,
                                                const std::string& attempt_directory);

// The file in its attempt's directory to which a container may write its termination message.
inline constexpr char k_termination_file[] = "termination-log";
// The reported message, as the container's terminationMessagePolicy says.
std::string termination_message(const Json& container, const std::string& attempt_directory,
                                int exit_code);

}  // namespace trainctl::local
