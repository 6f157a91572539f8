// The lines of a file of environment variables, as `docker run --env-file` reads them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trainctl::job {

// The lines that --env would take: NAME=VALUE, or NAME alone for the user's own variable. Blanks in
// front of a name, empty lines and those that begin with '#' are left out; quotes are part of a
// value. Code::usage for a name that no variable may have, with its line but without the value.
Result<std::vector<std::string>> env_file_variables(std::string_view text);

}  // namespace trainctl::job
