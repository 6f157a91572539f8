// Turns an argument vector into an exit status: parses, runs, and is the one place where errors are
// printed.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

namespace trainctl::cli {

// Runs a command; `args` excludes the program's name. Never throws; returns the exit status.
int run(const std::vector<std::string>& args, Context& context);

}  // namespace trainctl::cli
