// Waiting too little is a storm on a sick server; waiting without end is a pipeline that hangs.
#include "kube/client/backoff.h"

#include <algorithm>
#include <array>

#include <doctest/doctest.h>

namespace backoff_test {

using namespace trainctl;
using namespace trainctl::kube;
using namespace std::chrono_literals;

TEST_CASE("waits double from half a second to eight seconds, and start over after recovery") {
  Backoff backoff(5min);
  CHECK(backoff.next_delay() == 500ms);
  CHECK(backoff.next_delay() == 1s);
  CHECK(backoff.next_delay() == 2s);
  CHECK(backoff.next_delay() == 4s);
  CHECK(backoff.next_delay() == 8s);
  CHECK(backoff.next_delay() == 8s);
  CHECK(backoff.in_a_row());
  backoff.recovered();
  CHECK_FALSE(backoff.in_a_row());
  CHECK(backoff.next_delay() == 500ms);
}

TEST_CASE("patience ends, also for a Retry-After that lies beyond it") {
  const Time start{};
  Backoff backoff(10s);
  CHECK(backoff.delay_in_trouble(start, std::nullopt) == Duration(500ms));
  CHECK(backoff.delay_in_trouble(start + 4s, 6s) == Duration(6s));
  CHECK_FALSE(backoff.delay_in_trouble(start + 4s, 7s));
  backoff.answered();
  CHECK(backoff.delay_in_trouble(start + 60s, 7s) == Duration(7s));
}

TEST_CASE(
    "logs that lost one server together come back spread over two seconds, a single one at once") {
  const Time now{};
  Spread spread;
  CHECK(spread.next(now) == Duration::zero());
  std::array<int, 20> tenths{};
  for (int log = 1; log < 1000; ++log)
    ++tenths.at(static_cast<std::size_t>(spread.next(now) / 100ms));
  const auto [least, most] = std::minmax_element(tenths.begin() + 1, tenths.end());
  CHECK(*least >= 45);
  CHECK(*most <= 55);
  CHECK(spread.next(now + 1s) == Duration::zero());
}

}  // namespace backoff_test
