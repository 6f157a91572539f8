// Asks before something is ended for good.
#pragma once

#include <string>

#include "base/console/console.h"

namespace trainctl {

// True when there is a terminal to ask at.
bool can_ask(const Console& console);

// True for yes, and, without asking, when nobody can answer. `question` has no question mark.
bool confirmed(Console& console, const std::string& question);

}  // namespace trainctl
