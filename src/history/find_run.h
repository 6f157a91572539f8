// Finds the runs that a user means: by number, by the name of a job, or by that of an array.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/kind/replica.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// The runs of this user; Code::error where none can be kept.
Result<PastRuns*> history_of(Access& access);
// The run of this number, with its manifest; nullopt for other texts, and where there is none.
std::optional<PastRun> numbered_run(Access& access, std::string_view text);
// The job of this run, if the cluster that is asked still has it.
std::optional<FoundJob> find_present_run(Access& access, const PastRun& run);
// The run, with its manifest. A name counts in the namespace that was named on the command line,
// else in all. A number that no run has counts as a name. Code::not_found with the most similar
// name as hint.
Result<PastRun> find_run(Access& access, const std::string& text);
// The runs of an array's jobs, newest first, without manifests; empty when the history has none.
// `ns`: "" = any. A run whose manifest was too long to keep is missing: nobody knows its array.
std::vector<PastRun> runs_of_array(PastRuns& history, const std::string& ns,
                                   const std::string& array);
// The runs of the same cluster that `rerun` or --retry made of this one, and of those again; oldest
// first, without manifests. A run whose manifest was too long to keep is missing.
std::vector<PastRun> later_runs(PastRuns& history, const PastRun& run);

// The newest run that the history has of a job of this cluster, without its manifest; a history
// that cannot be read has none. There must be a history.
std::optional<PastRun> newest_run(Access& access, const job::JobRef& job);

// Returns `gone`. If `array` names an array of this cluster whose jobs are gone, its message lists
// the jobs that the history has, and its hint names one. `command`: what to type before a name.
Error naming_past_members(Access& access, const job::JobRef& array, std::string_view command,
                          Error gone);

// The newest run of a gone job, with its manifest, in which values may be left out. `gone` is the
// error for the missing job; it is returned when the history has no run of it in this cluster.
// Code::usage when the history has no manifest.
Result<PastRun> remembered_job(Access& access, const job::JobRef& job, Error gone);

// The name of the job that ran here last, where the namespace has none left; `none` says so, and is
// returned when the history has no run either.
Result<std::vector<std::string>> newest_remembered(Access& access, Error none);

}  // namespace trainctl::work
