// A command that waits for a silent server must end at its --timeout and when it is told to.
#include "base/loop/wait_limit.h"

#include <csignal>

#include <doctest/doctest.h>

#include "base/loop/ending_signals.h"
#include "support/fakes.h"

namespace trainctl {
namespace {

using std::chrono::seconds;

const auto k_never = [] { return false; };

TEST_CASE("waiting ends at the deadline, and everything that is awaited later ends at once") {
  testing::FakeLoop loop;
  WaitLimit limit(loop, deadline_after(seconds(4), loop.now()));
  CHECK_FALSE(limit.reached());
  const Status ended = limit.run_until(k_never);
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == Code::timeout);
  CHECK(ended.error().message == "timed out after 4s");
  CHECK(loop.now() == testing::k_begin + seconds(4));
  CHECK_FALSE(limit.run_until(k_never));
  CHECK(loop.now() == testing::k_begin + seconds(4));
}

TEST_CASE("a signal ends waiting with its own exit status, whatever the deadline") {
  for (const EndingSignal& signal : k_ending_signals) {
    testing::FakeLoop loop;
    WaitLimit limit(loop, deadline_after(seconds(10), loop.now()));
    loop.raise_after(seconds(2), signal.number);
    const Status ended = limit.run_until(k_never);
    REQUIRE_FALSE(ended);
    CHECK(ended.error().code == signal.code);
    CHECK(loop.now() == testing::k_begin + seconds(2));
  }
}

TEST_CASE("what is done in time is no timeout, and a timeout of zero takes the answer") {
  testing::FakeLoop loop;
  bool done = false;
  const HandlePtr timer = loop.after(seconds(1), [&done] { done = true; });
  SUBCASE("in time") {
    WaitLimit limit(loop, deadline_after(seconds(4), loop.now()));
    CHECK(limit.run_until([&done] { return done; }));
  }
  SUBCASE("zero") {
    WaitLimit limit(loop, deadline_after(Duration{}, loop.now()));
    CHECK(limit.run_until([&done] { return done; }));
  }
}

}  // namespace
}  // namespace trainctl
