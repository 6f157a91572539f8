// The end of what shows changes for as long as somebody looks.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/context.h"

namespace trainctl::cli {

// Runs the loop until `stop` is set: by the callbacks of what is watched, by SIGINT or SIGTERM
// (Code::interrupted, Code::terminated), or because stdout has no reader any more
// (Code::broken_pipe). What it was set to.
Status watch_until_stopped(Context& context, std::optional<Error>& stop);

}  // namespace trainctl::cli
