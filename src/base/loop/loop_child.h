// Runs a child to its end, and finds this program's own file: for top-level code.
#pragma once

#include <optional>
#include <string>

#include "base/loop/loop.h"

namespace trainctl {

// The child's exit, or the error of Loop::spawn; nullopt when it has not ended within `patience`,
// and was ended. Runs the loop.
std::optional<Result<ChildExit>> run_child(Loop& loop, ChildSpec spec, Duration patience);

// This executable, also when a newer one has taken its place meanwhile; "" when it is not known.
std::string own_program();

}  // namespace trainctl
