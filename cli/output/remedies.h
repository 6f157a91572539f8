// What a user can do about a job that does not start, go on or end.
#pragma once

#include <string>
#include <vector>

#include "job/status/state.h"

namespace trainctl::cli {

// Of all that is in the way, each remedy once.
std::vector<std::string> remedies(const job::JobState& state);

}  // namespace trainctl::cli
