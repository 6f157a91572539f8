// Lists of jobs, for commands about several jobs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "work/find/find_job.h"

namespace trainctl::work {

// Leaves out each job that has a later run in the list; one that only claims to be that does not
// count.
std::vector<FoundJob> latest_runs(Access& access, std::vector<FoundJob> jobs);

// The error of an array some of whose members were never created, or were deleted; nullopt when
// none is missing, or nobody knows how many there should be. `jobs`: those of the array.
std::optional<Error> missing_members(const std::vector<FoundJob>& jobs, const std::string& array);

// The names without repetitions, in their order.
std::vector<std::string> each_once(const std::vector<std::string>& names);

// Adds a job unless it is there already, with the same replica.
void add_once(std::vector<FoundJob>& jobs, FoundJob job);

}  // namespace trainctl::work
