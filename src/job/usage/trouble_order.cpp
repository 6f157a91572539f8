// An unknown share is taken for full use, so that it hides no job that lags.
#include "job/usage/trouble_order.h"

#include <limits>

namespace trainctl::job {
namespace {

enum class Group { failed, waiting, restarting, starting, running, paused, ended, done };

constexpr double k_unknown = std::numeric_limits<double>::max();

Group group_of(const JobState& state) {
  using enum Group;
  if (state.phase == Phase::failed) return ended;
  if (state.phase == Phase::succeeded) return done;
  if (state.phase == Phase::suspended) return paused;
  if (state.blocker) return waiting;
  if (state.phase == Phase::restarting) return restarting;
  if (state.phase == Phase::starting) return starting;
  return state.phase == Phase::running ? running : waiting;
}

Group group_of(const ReplicaState& replica) {
  using enum Group;
  switch (replica.run.state) {
    case RunState::failed:
      return failed;
    case RunState::missing:
    case RunState::pending:
      return waiting;
    case RunState::waiting:
      return replica.run.restarts.value_or(0) > 0 ? restarting : starting;
    case RunState::running:
      return running;
    case RunState::terminating:
      return paused;
    case RunState::succeeded:
      return done;
  }
  return running;
}

TroubleRank ranked(Group group, const Load& load) {
  return {static_cast<int>(group), group == Group::running ? load.share().value_or(k_unknown) : 0};
}

}  // namespace

TroubleRank trouble_rank(const JobState& state, const Load& load) {
  return ranked(group_of(state), load);
}

TroubleRank trouble_rank(const ReplicaState& replica, const Load& load) {
  return ranked(group_of(replica), load);
}

}  // namespace trainctl::job
