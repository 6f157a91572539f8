// Handles flags that have no meaning in a command that does not follow its job.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "options/table/defaults.h"

namespace trainctl::options {

// Code::usage when such a flag is among `typed`, and neither those flags nor `defaults` make the
// command follow its job: a forgotten --wait must not turn a pipeline green before its training has
// begun.
Status check_follow_rules(const std::string& command, const std::vector<GivenFlag>& typed,
                          const std::vector<Setting>& defaults);

// Drops such flags from `defaults` under the same condition, since they apply only when the command
// follows its job.
void drop_unused_defaults(const std::string& command, const std::vector<GivenFlag>& typed,
                          std::vector<Setting>& defaults);

}  // namespace trainctl::options
