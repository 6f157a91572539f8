// Describes the existing job that has the name of one to be created.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/jobs/find_job.h"

namespace trainctl::cli {

// Returns "Running, created 2m ago by ada", as far as it is known. The user comes from the label of
// templates, because the server's own record (managedFields) names programs and never users.
std::string describe_namesake(Context& context, const FoundJob& job);

}  // namespace trainctl::cli
