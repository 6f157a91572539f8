// What lets a job's program run on this machine as it does in the shell it was typed in.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "base/json.h"
#include "base/result.h"
#include "job/kind/kind.h"

namespace trainctl::cli {

// Every training container starts in `directory` and finds the caller's PATH, VIRTUAL_ENV,
// CONDA_PREFIX, PYTHONPATH and LD_LIBRARY_PATH, where the manifest does not say otherwise.
void localize(const job::Kind& kind, const Environment& environment, const std::string& directory,
              Json& manifest);

// Code::usage when a container names no program: its image, which would, is ignored here.
Status check_runs_here(const job::Kind& kind, const Json& manifest);

// What the manifest asks for and the embedded cluster does not give, one sentence each.
std::vector<std::string> not_kept_locally(const job::Kind& kind, const Json& manifest);

}  // namespace trainctl::cli
