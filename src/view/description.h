// Describes one job on one screen.
#pragma once

#include <string>

#include "cli/context.h"
#include "job/status/state.h"
#include "work/find/job_snapshot.h"

namespace trainctl::cli {

// The description, on a terminal cut to its width and, as far as the number of replicas allows, to
// its height.
std::string description(const Context& context, const work::JobSnapshot& look,
                        const job::JobState& state);

}  // namespace trainctl::cli
