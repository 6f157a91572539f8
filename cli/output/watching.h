// Ends commands that show changes until they are stopped.
#pragma once

#include <memory>
#include <optional>

#include "base/console/raw_terminal.h"
#include "base/result.h"
#include "cli/context.h"

namespace trainctl::cli {

// Runs the loop until `stop` is set: by the watch's callbacks, by a signal (with its Code), or
// because stdout has no reader any more (Code::broken_pipe). Returns the value of `stop`; ok when
// the user typed q where rows are redrawn in place.
Status watch_until_stopped(Context& context, std::optional<Error>& stop);

// Keeps what is typed from the rows that are redrawn in place, for as long as it lives; null where
// there are none.
std::unique_ptr<RawTerminal> quiet_keys(Console& console);

// Waits that long, or until the user types q: true. Returns the same error as watch_until_stopped
// when a signal or the loss of the reader ends the wait.
Result<bool> pause_or_quit(Context& context, Duration time);

}  // namespace trainctl::cli
