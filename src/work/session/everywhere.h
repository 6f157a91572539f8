// One command in many replicas at once.
#pragma once

#include <string>
#include <vector>

#include "work/access.h"
#include "work/session/target.h"

namespace trainctl::work {

// Runs the command in each container and prints its lines behind "[worker-1] ", whole and in the
// order in which they come. The status is that of the first replica by rank that did not succeed.
Status run_everywhere(Access& access, const std::vector<Target>& targets,
                      const std::vector<std::string>& command);

}  // namespace trainctl::work
