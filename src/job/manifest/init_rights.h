// The rights of init containers that trainctl adds: those of the training container. Pure.
#pragma once

#include <string_view>

#include "base/value/json.h"

namespace trainctl::job {

struct Kind;

// Copies what quotas and pod security ask for in every container, where `init` does not say it:
// pull policy, security context, CPU and memory. Devices are for the program alone.
void copy_rights(const Json& container, Json& init);

// The same for the init container of this name in every role that has it.
void copy_rights(const Kind& kind, std::string_view init_name, Json& manifest);

}  // namespace trainctl::job
