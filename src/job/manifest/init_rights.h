// What init containers that trainctl adds take over from the training container. Pure.
#pragma once

#include <string_view>

#include "base/value/json.h"

namespace trainctl::job {

struct Kind;

// Copies what quotas and pod security ask for in every container, where `init` does not say it:
// pull policy, security context, CPU, memory and ephemeral storage. Devices are for the program
// alone.
void copy_rights(const Json& container, Json& init);

// The same for the init containers whose names begin like this, in every role. They also get the
// image, if they have none, the directories of claims, and the variables by which programs find
// proxies and S3.
void equip(const Kind& kind, std::string_view init_names, Json& manifest);

}  // namespace trainctl::job
