// How often a log is asked for again after a failure.
#include "logs/retry_pace.h"

#include <doctest/doctest.h>

#include "net/http.h"

namespace trainctl::job {
namespace retry_pace_test {

int attempts(const Error& error) {
  RetryPace pace(true, true);
  int made = 1;
  while (made < 100 && pace.failed({error, {}}, true, Time{})) ++made;
  return made;
}

TEST_CASE("the end of a job is not held up by a log for which this process may open no file") {
  CHECK(attempts(net::cannot_reach("cluster.test", "connection refused")) == 16);
  CHECK(attempts(net::too_many_open("cluster.test", 21)) == 6);
}

TEST_CASE("a log whose answers all break at once is asked for less and less often") {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const kube::Failure cut{net::cannot_reach("cluster.test", "reset"), {}};
  RetryPace pace(true, true);
  Time now{};
  const auto wait_after = [&](Duration open) {
    pace.accepted(now);
    now += open;
    return pace.failed(cut, false, now);
  };
  CHECK(wait_after({}) == milliseconds(500));
  CHECK(wait_after(seconds(4)) == seconds(1));
  CHECK(wait_after({}) == seconds(2));
  CHECK(wait_after(seconds(5)) == milliseconds(500));
}

}  // namespace retry_pace_test
}  // namespace trainctl::job
