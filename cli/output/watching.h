// Ends commands that show changes until they are stopped.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/context.h"

namespace trainctl::cli {

// Runs the loop until `stop` is set: by the watch's callbacks, by a signal (with its Code), or
// because stdout has no reader any more (Code::broken_pipe). Returns the value of `stop`; ok when
// the user typed q where rows are redrawn in place.
Status watch_until_stopped(Context& context, std::optional<Error>& stop);

// Waits that long, or until the user types q: true. Returns the same error as watch_until_stopped
// when a signal or the loss of the reader ends the wait.
Result<bool> pause_or_quit(Context& context, Duration time);

}  // namespace trainctl::cli
