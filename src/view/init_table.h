// Shows the init containers of a job, for `trainctl describe`.
#pragma once

#include <string>
#include <vector>

#include "job/status/init_summary.h"
#include "view/viewer.h"

namespace trainctl::view {

// A row for each, and the last lines of the first that has failed; "" when there are none.
std::string init_table(const Viewer& viewer, const std::vector<job::InitSummary>& all);

}  // namespace trainctl::view
