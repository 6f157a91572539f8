// A deadline lies in the future, however long the timeout.
#include <doctest/doctest.h>

#include "base/loop/wait_limit.h"

namespace trainctl {
namespace TEST_FILE {

const Time k_now{std::chrono::seconds(1767323045)};

TEST_CASE("no timeout is no deadline, and one of zero is over at once") {
  CHECK_FALSE(deadline_after(std::nullopt, k_now));
  CHECK(deadline_after(Duration{}, k_now)->is_over(k_now));
  const auto minute = deadline_after(std::chrono::minutes(1), k_now);
  CHECK_FALSE(minute->is_over(k_now + std::chrono::seconds(59)));
  CHECK(minute->is_over(k_now + std::chrono::seconds(60)));
}

TEST_CASE("the longest timeout that can be typed does not end before it begins") {
  const Duration longest = *parse_duration("36500d");
  CHECK(deadline_after(longest, k_now)->at > k_now);
  CHECK(deadline_after(longest, k_now)->timeout == longest);
}

}  // namespace TEST_FILE
}  // namespace trainctl
