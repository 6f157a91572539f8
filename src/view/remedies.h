// Advises what to do about a job that does not start, continue or end.
#pragma once

#include <string>
#include <vector>

#include "job/status/state.h"

namespace trainctl::view {

// The remedies for all problems, each once.
std::vector<std::string> remedies(const job::JobState& state);

}  // namespace trainctl::view
