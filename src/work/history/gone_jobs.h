// Answers from the history about jobs that the cluster no longer has.
#pragma once

#include <optional>
#include <string_view>

#include "job/kind/replica.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// The newest run that the history has of a job of this cluster, without its manifest; a history
// that cannot be read has none. There must be a history.
std::optional<PastRun> newest_run(Access& access, const job::JobRef& job);

// Returns `gone`. If `array` names an array of this cluster whose jobs are gone, its message lists
// the jobs that the history has, and its hint names one. `command`: what to type before a name.
Error naming_past_members(Access& access, const job::JobRef& array, std::string_view command,
                          Error gone);

// A gone job as the history remembers it, for a new run. `gone` is the error for the missing job;
// it is returned when the history has no run of it in this cluster. Code::usage when the manifest
// was not kept whole.
Result<FoundJob> remembered_job(Access& access, const job::JobRef& job, Error gone);

// The name of the job that ran here last, where the namespace has none left; `none` says so, and is
// returned when the history has no run either.
Result<std::vector<std::string>> newest_remembered(Access& access, Error none);

}  // namespace trainctl::work
