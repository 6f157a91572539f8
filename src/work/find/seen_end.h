// Has the history know how jobs ended that no command waited for, and that they were deleted.
#pragma once

#include <vector>

#include "status/state.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// Adds the end of each job that is over to its run, unless the history knows that end or has no
// such run. `states` are those of the jobs, in their order. Trouble with the history is left to
// commands that are about it.
void note_seen_ends(Access& access, const std::vector<FoundJob>& jobs,
                    const std::vector<job::JobState>& states);

// Notes that the user has deleted the job, or how it had ended before.
void note_deletion(Access& access, const FoundJob& job);

}  // namespace trainctl::work
