// The replica that lags is found by the last lines of all, where only one log is followed.
#include "follow/log_ends.h"

#include <doctest/doctest.h>

#include "follow/following.h"
#include "manifest/kind/kind.h"

namespace log_ends_test {

using namespace trainctl;
using namespace trainctl::job;

std::string steps(int last) {
  std::string text;
  for (int step = last - 3; step <= last; ++step) {
    text += cat("2026-01-02T03:00:0", 4 - (last - step), ".5Z step ", step, "/400 loss 0.5\n");
  }
  return text;
}

TEST_CASE("the ends of logs show who lags; a log that cannot be read hides nothing of the others") {
  const ReplicaState master = testing::logged_replica(0, 0, 0, "ddp-master-0");
  const ReplicaState slow = testing::logged_replica(1, 0, 1, "ddp-worker-0");
  const ReplicaState denied = testing::logged_replica(1, 1, 2, "ddp-worker-1");
  testing::FakeCluster cluster({log_of("ddp-master-0", steps(140)),
                                log_of("ddp-worker-0", steps(30)),
                                log_of("ddp-worker-1", "{}", 403)});
  const std::vector<const ReplicaState*> replicas = {&master, &slow, &denied};
  const LogEnds ends(*cluster.client, *find_kind("pytorch"), "ml", replicas);
  cluster.loop.run_until([&ends] { return ends.are_read(); });
  const auto lag = ends.metrics().lag_of_ends(*ends.metrics().last_line());
  REQUIRE(lag);
  CHECK(lag->replica == "worker-0");
  CHECK(lag->steps == 110);
}

}  // namespace log_ends_test
