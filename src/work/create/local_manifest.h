// Lets a job's program run on this machine as it does in the user's shell.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/machine.h"
#include "base/result.h"
#include "base/value/json.h"
#include "manifest/companions.h"
#include "manifest/kind/kind.h"

namespace trainctl::work {

// Every training container starts in `directory` and gets the caller's PATH, VIRTUAL_ENV,
// CONDA_PREFIX, PYTHONPATH, LD_LIBRARY_PATH and OMP_NUM_THREADS, unless the manifest sets them.
// Where nobody sets OMP_NUM_THREADS, the replicas divide the machine's cores.
void localize(const job::Kind& kind, const Environment& environment, const std::string& directory,
              const Machine& machine, Json& manifest);

// Takes out of the manifest what localize() has put into it, or would put into it: it is derived
// anew wherever the job runs again.
void unlocalize(const job::Kind& kind, const Environment& environment, Json& manifest);

// Code::usage when a container names no program, since its image, which would, is ignored here, one
// that cannot be run, or a Python file that is not on this machine.
Status check_runs_here(const job::Kind& kind, const Json& manifest, Files& files);

// Requests of the manifest that the embedded cluster ignores, or that its machine cannot meet, one
// sentence each, and what localize() chose. `companions`: created with the job, on a real cluster
// as well.
std::vector<std::string> not_kept_locally(const job::Kind& kind, const Json& manifest,
                                          const std::vector<job::DependentObject>& companions,
                                          const Environment& environment, const Machine& machine);

}  // namespace trainctl::work
