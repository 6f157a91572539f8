// Starts the clock when a job is stuck, and stops it only at real progress.
#include "job/follow/start_timeout.h"

#include <algorithm>
#include <utility>

namespace trainctl::job {
namespace {

bool is_stuck(const JobState& state) {
  return state.blocker.has_value() || state.phase == Phase::submitted;
}

bool has_moved_on(const JobState& state, const std::string& replica) {
  if (replica.empty()) return true;  // its pods could be created
  return std::ranges::any_of(state.replicas, [&](const ReplicaState& one) {
    return one.id.name() == replica &&
           (one.run.runs_or_succeeded() || (one.last_exit.code && !one.never_started()));
  });
}

}  // namespace

StartTimeout::StartTimeout(Loop& loop, std::optional<Duration> timeout,
                           std::function<void(const Blocker*)> on_expired)
    : loop_(loop), timeout_(timeout), on_expired_(std::move(on_expired)) {}

void StartTimeout::see(const JobState& state) {
  if (is_stuck(state)) {
    blocker_ = state.blocker;
  } else if (!blocker_ || has_moved_on(state, blocker_->replica)) {
    // Between two attempts to pull an image nothing seems wrong: only real progress counts.
    timer_.reset();
    blocker_.reset();
    return;
  }
  if (timer_ != nullptr || !timeout_) return;
  timer_ = loop_.after(*timeout_, [this] { expire(); });
}

void StartTimeout::expire() {
  const HandlePtr expired = std::move(timer_);
  on_expired_(blocker_ ? &*blocker_ : nullptr);
}

}  // namespace trainctl::job
