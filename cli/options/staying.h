// Handles flags that have no meaning in a command that does not stay with its job.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/argv.h"
#include "cli/options/setting.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

// Code::usage when such a flag is among `typed`, and neither those flags nor `defaults` make the
// command stay: a forgotten --wait must not turn a pipeline green before its training has begun.
Status check_staying(const CLI::App& app, const std::string& command,
                     const std::vector<GivenFlag>& typed, const std::vector<Setting>& defaults);

// Drops such flags from `defaults` under the same condition, since they apply only when the command
// stays.
void drop_idle(const CLI::App& app, const std::string& command, const std::vector<GivenFlag>& typed,
               std::vector<Setting>& defaults);

}  // namespace trainctl::cli
