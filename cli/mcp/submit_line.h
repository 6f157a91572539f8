// Decides which submit lines an agent may write: flags of jobs, none that reads this machine's
// files and environment or reaches the node.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::cli::mcp {

// Returns the line with every flag as `--flag=VALUE`; Code::usage for a word that is not allowed.
Result<std::vector<std::string>> submit_line(const Json& words);

}  // namespace trainctl::cli::mcp
