// Runs a child to its end, for top-level code that waits for it.
#pragma once

#include <optional>

#include "base/loop/loop.h"

namespace trainctl {

// The child's exit, or the error of Loop::spawn; nullopt when it has not ended within `patience`,
// and was ended. Runs the loop.
std::optional<Result<ChildExit>> run_child(Loop& loop, ChildSpec spec, Duration patience);

}  // namespace trainctl
