// From an argument vector to an exit status: parse, run, and the one place errors are printed.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

namespace trainctl::cli {

// `args` without the program's name. Never throws; returns the exit status.
int run(const std::vector<std::string>& args, Context& context);

}  // namespace trainctl::cli
