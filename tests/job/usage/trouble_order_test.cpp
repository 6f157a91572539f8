// `top -w` has room for few jobs: those in trouble would be among the others.
#include <vector>

#include <doctest/doctest.h>

#include "job/usage/usage.h"

namespace trainctl::testing {
namespace TEST_FILE {

using job::JobState;
using job::Load;
using job::Phase;
using job::ReplicaState;
using job::RunState;

Load using_half() {
  Load load;
  load.used.cpu = 500;
  load.measured.cpu = 1000;
  return load;
}

TEST_CASE("jobs are in the order in which they need a look") {
  struct Row {
    Phase phase;
    bool is_blocked;
    Load load;
  };
  const std::vector<Row> rows = {
      {Phase::pending, false, {}},  {Phase::restarting, false, {}},
      {Phase::starting, false, {}}, {Phase::running, false, using_half()},
      {Phase::running, false, {}},  {Phase::suspended, false, {}},
      {Phase::failed, false, {}},   {Phase::succeeded, false, {}},
  };
  const auto rank = [](const Row& row) {
    JobState state;
    state.phase = row.phase;
    if (row.is_blocked) state.blocker.emplace();
    return job::trouble_rank(state, row.load);
  };
  for (std::size_t at = 1; at < rows.size(); ++at) {
    CAPTURE(at);
    CHECK(rank(rows[at - 1]) < rank(rows[at]));
  }
  CHECK(rank({Phase::running, true, {}}) == rank({Phase::submitted, false, {}}));
  CHECK(rank({Phase::queued, false, {}}) == rank({Phase::pending, false, {}}));
}

TEST_CASE("replicas are in the order in which they need a look") {
  const auto rank = [](RunState state, int restarts = 0) {
    ReplicaState replica;
    replica.run.state = state;
    replica.run.restarts = restarts;
    return job::trouble_rank(replica, using_half());
  };
  CHECK(rank(RunState::failed) < rank(RunState::missing));
  CHECK(rank(RunState::missing) == rank(RunState::pending));
  CHECK(rank(RunState::pending) < rank(RunState::waiting, 3));
  CHECK(rank(RunState::waiting, 3) < rank(RunState::waiting));
  CHECK(rank(RunState::waiting) < rank(RunState::running));
  CHECK(rank(RunState::running) < rank(RunState::terminating));
  CHECK(rank(RunState::terminating) < rank(RunState::succeeded));
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
