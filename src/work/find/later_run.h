// Finds the newest job that was submitted as another run of a job, by --retry or `rerun`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/status/state.h"
#include "work/find/find_job.h"

namespace trainctl::work {

struct LaterRun {
  std::string name;
  job::Phase phase = job::Phase::submitted;
};

// The newest of `jobs` that is a run of this one, or a run of such a run; nullopt = none is. Pure.
std::optional<LaterRun> newest_run_of(const FoundJob& job, const std::vector<FoundJob>& jobs);

// The same among the jobs of the namespace. nullopt as well where they cannot be listed: a later
// run is worth a hint, and no error.
std::optional<LaterRun> find_later_run(Access& access, const FoundJob& job);

// "was submitted again as ddp-x7k2p, which has succeeded", to follow the job's name.
std::string words_of(const LaterRun& later);

}  // namespace trainctl::work
