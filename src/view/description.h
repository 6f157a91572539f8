// Describes one job on one screen.
#pragma once

#include <string>

#include "job/status/state.h"
#include "view/viewer.h"
#include "work/find/job_snapshot.h"

namespace trainctl::view {

// The description, on a terminal cut to its width and, as far as the number of replicas allows, to
// its height.
std::string description(const Viewer& viewer, const work::JobSnapshot& look,
                        const job::JobState& state);

}  // namespace trainctl::view
