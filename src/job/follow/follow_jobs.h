// Stays with several jobs at once: their lines are printed as they come, and each gets its verdict.
#pragma once

#include <vector>

#include "base/console/console.h"
#include "job/follow/follow.h"
#include "job/kind/kind.h"
#include "job/status/monitor.h"
#include "kube/client/client.h"

namespace trainctl::job {

struct FollowedJob {
  const Kind* kind = nullptr;
  KnownJob job;
  FollowOptions options;  // logs.job names it
};

// As follow_job for each, all at the same time; returns when the last has its verdict. The results
// are in the order of the jobs. A signal ends all of them.
std::vector<FollowResult> follow_jobs(kube::Client& client, Console& console,
                                      std::vector<FollowedJob> jobs);

}  // namespace trainctl::job
