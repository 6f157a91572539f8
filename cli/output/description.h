// Describes one job on one screen.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/jobs/job_snapshot.h"
#include "job/status/state.h"

namespace trainctl::cli {

// The description, on a terminal cut to its width and, as far as the number of replicas allows, to
// its height.
std::string description(const Context& context, const JobSnapshot& look,
                        const job::JobState& state);

}  // namespace trainctl::cli
