// Finds the run that a user means: by its number, or the newest of a job's name.
#pragma once

#include <string>

#include "work/access.h"

namespace trainctl::work {

// The runs of this user; Code::error where none can be kept.
Result<PastRuns*> history_of(Access& access);
// The run, with its manifest. A name counts in the namespace that was named on the command line,
// else in all. Code::not_found with the most similar name as hint.
Result<PastRun> find_run(Access& access, const std::string& text);

}  // namespace trainctl::work
