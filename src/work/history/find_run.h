// Finds the runs that a user means: by number, by the name of a job, or by that of an array.
#pragma once

#include <string>
#include <vector>

#include "work/access.h"

namespace trainctl::work {

// The runs of this user; Code::error where none can be kept.
Result<PastRuns*> history_of(Access& access);
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

}  // namespace trainctl::work
