// One command in many replicas at once.
#pragma once

#include <string>
#include <vector>

#include "work/access.h"
#include "work/session/target.h"

namespace trainctl::work {

// Runs the command in each container and prints its lines behind "[worker-1] ", whole and in the
// order in which they come. Cuts a line above 1 MiB. The status is that of the first replica by
// rank in which the command could not be run, else of the first in which it failed; a signal, or a
// stdout that cannot be written, ends all.
Status run_everywhere(Access& access, const std::vector<Target>& targets,
                      const std::vector<std::string>& command);

}  // namespace trainctl::work
