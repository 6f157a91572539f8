// Follows several jobs at once: their lines are printed as they come, and each gets its verdict.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

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

// Gives the jobs and takes their results. All functions are called at top level, and may run the
// loop.
struct JobQueue {
  // nullopt: there are no more for now. It is asked again when one has ended, and now and then
  // where `grows`; nullopt while none is followed is the end. `open`: how many are followed.
  std::function<std::optional<FollowedJob>(std::size_t open)> next;
  std::size_t at_once = 1;  // so many are followed at the same time
  bool grows = false;
  // `index`: how many `next` had given before this one.
  std::function<void(std::size_t index, FollowResult result)> on_end;
};

// As follow_job for each; returns when the last has its verdict. A signal ends all that are
// followed.
void follow_jobs(kube::Client& client, Console& console, const JobQueue& queue);

}  // namespace trainctl::job
