// Lists of jobs that commands about several make. Pure.
#pragma once

#include <vector>

#include "work/find/find_job.h"

namespace trainctl::work {

// Leaves out jobs of which another one in the list is a new run.
std::vector<FoundJob> latest_runs(std::vector<FoundJob> jobs);

// Adds a job unless it is there already, with the same replica.
void add_once(std::vector<FoundJob>& jobs, FoundJob job);

}  // namespace trainctl::work
