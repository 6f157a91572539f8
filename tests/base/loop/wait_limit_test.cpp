// A command that waits for a silent server must end at its --timeout and when it is told to.
#include "base/loop/wait_limit.h"

#include <csignal>

#include <doctest/doctest.h>

#include "base/loop/ending_signals.h"
#include "support/fakes.h"

namespace trainctl {

namespace wait_limit_test {

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

TEST_CASE("work done in time is no timeout, and a timeout of zero takes the answer") {
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

TEST_CASE("a signal that comes between two waits ends the next one, and is not lost") {
  testing::FakeLoop loop;
  { const WaitLimit earlier(loop, std::nullopt); }
  loop.raise_after(seconds(1), SIGTERM);
  bool done = false;
  const HandlePtr timer = loop.after(seconds(2), [&done] { done = true; });
  loop.run_until([&done] { return done; });  // nobody watches

  SUBCASE("a limit") {
    WaitLimit limit(loop, std::nullopt);
    REQUIRE(limit.reached());
    CHECK(limit.reached()->code == Code::terminated);
    CHECK(limit.run_until(k_never).error().code == Code::terminated);
  }
  SUBCASE("a watch") {
    std::optional<Code> seen;
    const HandlePtr watch =
        loop.ending_signals().watch([&seen](const EndingSignal& signal) { seen = signal.code; });
    loop.run_until([&seen] { return seen.has_value(); });
    CHECK(seen == Code::terminated);
  }
  SUBCASE("not what it has caused itself") {
    loop.ending_signals().forget();
    CHECK_FALSE(WaitLimit(loop, std::nullopt).reached());
  }
}

TEST_CASE("a signal leaves a request that changes something a moment for its answer") {
  testing::FakeLoop loop;
  const WaitLimit outer(loop, std::nullopt);
  WaitLimit limit(loop, &outer, seconds(5));
  loop.raise_after(seconds(1), SIGINT);

  SUBCASE("the answer comes") {
    bool answered = false;
    const HandlePtr answer = loop.after(seconds(3), [&answered] { answered = true; });
    CHECK(limit.run_until([&answered] { return answered; }));
    REQUIRE(outer.reached());
    CHECK(outer.reached()->code == Code::interrupted);
  }
  SUBCASE("it does not") {
    CHECK(limit.run_until(k_never).error().code == Code::interrupted);
    CHECK(loop.now() == testing::k_begin + seconds(6));
  }
  SUBCASE("a second signal does not wait") {
    loop.raise_after(seconds(2), SIGTERM);
    CHECK(limit.run_until(k_never).error().code == Code::terminated);
    CHECK(loop.now() == testing::k_begin + seconds(2));
  }
}

}  // namespace wait_limit_test

// A deadline lies in the future, however long the timeout.
namespace wait_limit_test {

const Time k_now{std::chrono::seconds(1767323045)};

TEST_CASE("a timeout of zero is over at once") {
  CHECK(deadline_after(Duration{}, k_now).is_over(k_now));
  const auto minute = deadline_after(std::chrono::minutes(1), k_now);
  CHECK_FALSE(minute.is_over(k_now + std::chrono::seconds(59)));
  CHECK(minute.is_over(k_now + std::chrono::seconds(60)));
}

TEST_CASE("the longest timeout that can be typed does not end before it begins") {
  const Duration longest = *parse_duration("36500d");
  CHECK(deadline_after(longest, k_now).at > k_now);
  CHECK(deadline_after(longest, k_now).timeout == longest);
}

}  // namespace wait_limit_test

}  // namespace trainctl
