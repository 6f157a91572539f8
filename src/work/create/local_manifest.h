// Lets a job's program run on this machine as it does in the user's shell.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "base/machine.h"
#include "base/result.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/manifest/companions.h"

namespace trainctl::work {

// Every training container starts in `directory` and gets the caller's PATH, VIRTUAL_ENV,
// CONDA_PREFIX, PYTHONPATH and LD_LIBRARY_PATH, unless the manifest sets them.
void localize(const job::Kind& kind, const Environment& environment, const std::string& directory,
              Json& manifest);

// Code::usage when a container names no program, since its image, which would, is ignored here.
Status check_runs_here(const job::Kind& kind, const Json& manifest);

// Requests of the manifest that the embedded cluster ignores, or that its machine cannot meet, one
// sentence each. `companions`: created with the job, on a real cluster as well.
std::vector<std::string> not_kept_locally(const job::Kind& kind, const Json& manifest,
                                          const std::vector<job::Companion>& companions,
                                          const Machine& machine);

}  // namespace trainctl::work
