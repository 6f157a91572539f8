// The job that is there already under the name of one to be created, in words.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/jobs/find_job.h"

namespace trainctl::cli {

// "Running, created 2m ago by ada", as far as it is known. By whom the label of templates says: the
// server's own record (managedFields) names programs, and its users' names are never stored.
std::string describe_namesake(Context& context, const FoundJob& job);

}  // namespace trainctl::cli
