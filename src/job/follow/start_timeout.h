// Implements --start-timeout: how long a job that cannot start is waited for.
#pragma once

#include <functional>
#include <optional>

#include "base/loop/loop.h"
#include "job/status/state.h"

namespace trainctl::job {

class StartTimeout {
 public:
  // `timeout` nullopt waits for ever. `on_expired` gets what was waited for; nullptr when nothing
  // is known to be wrong, but no operator takes the job up.
  StartTimeout(Loop& loop, std::optional<Duration> timeout,
               std::function<void(const Blocker*)> on_expired);

  // Takes each change of the job's state.
  void see(const JobState& state);
  // The job has its verdict: how it starts does not matter any more.
  void stop() { timer_.reset(); }

 private:
  void expire();

  Loop& loop_;
  std::optional<Duration> timeout_;
  std::function<void(const Blocker*)> on_expired_;
  std::optional<Blocker> blocker_;  // what the timer runs for
  HandlePtr timer_;
};

}  // namespace trainctl::job
