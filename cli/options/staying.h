// Handles flags that have no meaning in a command that does not stay with its job.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/setting.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

// Code::usage when such a flag is among `typed` ("--junit=x"), and neither those arguments nor
// `defaults` make the command stay: a forgotten --wait must not turn a pipeline green before its
// training has begun.
Status check_staying(const CLI::App& app, const std::string& command,
                     const std::vector<std::string>& typed, const std::vector<Setting>& defaults);

// Drops such flags from `defaults` under the same condition, since they apply only when the command
// stays.
void drop_idle(const CLI::App& app, const std::string& command,
               const std::vector<std::string>& typed, std::vector<Setting>& defaults);

}  // namespace trainctl::cli
