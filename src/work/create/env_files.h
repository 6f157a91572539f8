// Reads the files of --env-file.
#pragma once

#include <vector>

#include "base/result.h"
#include "job/manifest/flags.h"
#include "work/access.h"

namespace trainctl::work {

// Puts the variables in place of the files' names. Errors are Code::usage and name flag and file.
Status read_env_files(Access& access, std::vector<job::FlagUse>& flags);

}  // namespace trainctl::work
