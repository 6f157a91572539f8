// The last lines of each replica, kept in a ring of bytes.
#include "logs/last_lines.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace last_lines_test {

const RunId k_run{"pod", 0};

TEST_CASE("the digest has the last twenty lines of a replica, in order, however many there were") {
  for (const int count : {1, 19, 20, 21, 40, 47}) {
    CAPTURE(count);
    LastLines lines;
    const ReplicaId replica{nullptr, 1};
    lines.begin(replica, k_run);
    lines.begin({nullptr, 2}, k_run);
    for (int number = 1; number <= count; ++number) {
      lines.add(replica, k_run, std::to_string(number) + std::string(600, 'x'));
      lines.add({nullptr, 2}, k_run, "another's");
    }
    const std::vector<std::string> last = lines.latest(replica);
    REQUIRE(last.size() == std::min<std::size_t>(20, static_cast<std::size_t>(count)));
    for (std::size_t place = 0; place < last.size(); ++place) {
      const auto number = static_cast<std::size_t>(count) - last.size() + place + 1;
      CHECK(last[place].starts_with(std::to_string(number) + "x"));
      CHECK(last[place].size() == 500);
    }
  }
  CHECK(LastLines().latest({nullptr, 1}).empty());
}

TEST_CASE("of a line that fills screens a digest shows the beginning, in whole characters") {
  CHECK(digest_line("short") == "short");
  CHECK(digest_line(std::string(500, 'x')) == std::string(500, 'x'));
  CHECK(digest_line(std::string(300'000, 'x')) == std::string(497, 'x') + "…");
  for (const std::size_t before : {0U, 1U, 2U, 3U}) {
    std::string line(before, 'x');
    while (line.size() < 1000) line += "€";
    const std::string shown = digest_line(line);
    CHECK(shown.size() <= 500);
    CHECK(is_utf8(shown));
    CHECK(shown.ends_with("€…"));
  }
}

TEST_CASE("last lines of any length come out as they went in") {
  LastLines kept;
  const ReplicaId replica{nullptr, 1};
  kept.begin(replica, k_run);
  std::vector<std::string> all;
  for (std::size_t number = 0; number < 1000; ++number) {
    all.push_back(std::to_string(number) + std::string(number * number % 97, 'x'));
    if (number % 13 == 0) all.back() = "-";
    kept.add(replica, k_run, all.back());
    const std::size_t count = std::min<std::size_t>(all.size(), k_digest_lines);
    REQUIRE(kept.latest(replica) ==
            std::vector<std::string>(all.end() - static_cast<long>(count), all.end()));
  }
}

TEST_CASE("lines of two runs are not mixed, whichever of them the verdict is about") {
  LastLines kept;
  const ReplicaId replica{nullptr, 1};
  const RunId restarted{"pod", 1}, silent{"pod", 2}, unread{"pod", 3};
  kept.begin(replica, k_run);
  kept.add(replica, k_run, "of the first");
  kept.begin(replica, restarted);
  kept.begin(replica, restarted);  // its log was asked for again
  kept.add(replica, restarted, "of the second");
  kept.add(replica, k_run, "late");
  CHECK(*kept.of(replica, k_run) == std::vector<std::string>{"of the first", "late"});
  CHECK(*kept.of(replica, restarted) == std::vector<std::string>{"of the second"});
  kept.begin(replica, silent);
  CHECK(kept.of(replica, silent)->empty());
  CHECK_FALSE(kept.of(replica, unread));
  CHECK_FALSE(kept.of(replica, k_run));
}

}  // namespace last_lines_test
}  // namespace trainctl::job
