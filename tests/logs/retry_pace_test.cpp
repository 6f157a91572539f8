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

}  // namespace retry_pace_test
}  // namespace trainctl::job
