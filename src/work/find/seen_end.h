// Has the history know how jobs ended that no command waited for, and that they were deleted; and
// asks it for the cause where the cluster has forgotten it.
#pragma once

#include <span>
#include <vector>

#include "status/state.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// Adds the end of each job that is over to its run, unless the history knows that end or has no
// such run. `states` are those of the jobs, in their order. Trouble with the history is left to
// commands that are about it. The operator only says how many replicas of a job failed: once its
// pods and their events are gone, the message of the state becomes that of the run which the
// history keeps, if a command saw it.
void compare_with_history(Access& access, std::span<const FoundJob> jobs,
                          std::span<job::JobState> states);

// Notes that the user has deleted the job, or how it had ended before.
void note_deletion(Access& access, const FoundJob& job);

}  // namespace trainctl::work
