// Commands in hints, ready to be typed.
#pragma once

#include <string>

#include "cli/context.h"

namespace trainctl::cli {

// `text` with what chose cluster and namespace here behind each `trainctl COMMAND` that looks at a
// job or deletes it: typed as it stands it means the same job. Secrets are left out.
std::string with_place(const std::string& text, const Context& context);

}  // namespace trainctl::cli
