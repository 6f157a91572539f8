// Chooses a job when a read-only command was given no name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "job/kind/kind.h"
#include "work/access.h"

namespace trainctl::work {

// Returns `names` unchanged. When empty: the namespace's only job, else the newest of those that
// this user submitted, which is announced on stderr. Code::usage with some names when there are
// several and none is this user's, or several of this user's are equally new; Code::not_found when
// there are none. Not for commands that change anything.
Result<std::vector<std::string>> jobs_or_newest(Access& access,
                                                const std::vector<std::string>& names,
                                                const job::Kind* kind);

}  // namespace trainctl::work
