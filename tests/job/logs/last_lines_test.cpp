// The last lines of each replica, kept in a ring of bytes.
#include "job/logs/last_lines.h"

#include <doctest/doctest.h>

namespace trainctl::job {
namespace {

TEST_CASE("the digest has the last twenty lines of a replica, in order, however many there were") {
  for (const int count : {1, 19, 20, 21, 40, 47}) {
    CAPTURE(count);
    LastLines lines;
    const ReplicaId replica{nullptr, 1};
    for (int number = 1; number <= count; ++number) {
      lines.add(replica, std::to_string(number) + std::string(600, 'x'));
      lines.add({nullptr, 2}, "another's");
    }
    const std::vector<std::string> last = lines.of(replica);
    REQUIRE(last.size() == std::min<std::size_t>(20, static_cast<std::size_t>(count)));
    for (std::size_t place = 0; place < last.size(); ++place) {
      const auto number = static_cast<std::size_t>(count) - last.size() + place + 1;
      CHECK(last[place].starts_with(std::to_string(number) + "x"));
      CHECK(last[place].size() == 500);
    }
  }
  CHECK(LastLines().of({nullptr, 1}).empty());
}

TEST_CASE("last lines of any length come out as they went in") {
  LastLines kept;
  const ReplicaId replica{nullptr, 1};
  std::vector<std::string> all;
  for (std::size_t number = 0; number < 1000; ++number) {
    all.push_back(std::to_string(number) + std::string(number * number % 97, 'x'));
    if (number % 13 == 0) all.back().clear();
    kept.add(replica, all.back());
    const std::size_t count = std::min<std::size_t>(all.size(), k_digest_lines);
    REQUIRE(kept.of(replica) ==
            std::vector<std::string>(all.end() - static_cast<long>(count), all.end()));
  }
}

}  // namespace
}  // namespace trainctl::job
