// Removes a job and waits, polling, until nothing is left of it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/loop/wait_limit.h"
#include "base/result.h"
#include "manifest/kind/kind.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// The time between two requests that ask whether a deleted object is gone.
inline constexpr Duration k_removal_poll = std::chrono::milliseconds(500);
// Runs the loop for that long.
void pause(Loop& loop, Duration time);
// The time that rolling back may take after a command was told to end.
inline constexpr Duration k_rollback_time = std::chrono::seconds(10);

// Deletes exactly this object (by uid); a new one with the same name stays. No error when somebody
// else deleted it first.
Status remove_job(Access& access, const job::Kind& kind, const Json& object);

// The same for several jobs, 32 at a time. Calls `removed` for each job that the server answered
// for, in the order given. An error when a deadline or signal ends it; then it names the others.
Status remove_jobs(Access& access, const std::vector<FoundJob>& jobs,
                   const std::function<void(const FoundJob&, Status)>& removed);

// Returns when the job has no pod any more; Code::timeout when the command's deadline is over
// first.
Status wait_until_stopped(Access& access, const job::Kind& kind, const Json& object);

// Returns when the object and its pods are gone; Code::timeout when the command's deadline is over
// first.
Status wait_until_gone(Access& access, const job::Kind& kind, const Json& object);

}  // namespace trainctl::work
