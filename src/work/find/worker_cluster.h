// Finds the pods of jobs that MultiKueue runs on a worker cluster: on the manager's, to which the
// user has submitted them, they have none.
#pragma once

#include <string>

#include "base/result.h"
#include "work/access.h"
#include "work/find/batch_fetch.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// Goes on in the cluster where the pods of the job are: for a job that MultiKueue has dispatched,
// from now on access.client() leads to its worker cluster, `job` is the copy there, and `around`
// (null = nothing) is emptied, because the manager's cluster gave it. The next search for jobs
// begins on the manager's cluster again. Returns the worker cluster's name; "" when the pods are
// those of the cluster at hand, or gone from the worker's. Code::not_started while no cluster is
// chosen, Code::usage when the configuration has no context for it. Sends nothing for other jobs.
Result<std::string> enter_worker(Access& access, FoundJob& job, JobListings* around);

}  // namespace trainctl::work
