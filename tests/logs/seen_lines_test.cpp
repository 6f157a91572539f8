// The next request, and the new lines of its answer: the limits a user gave hold for the first time
// only.
#include "logs/seen_lines.h"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace seen_lines_test {

using LinePosition = SeenLines::LinePosition;

Time at(double second) {
  return Time(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1000 + second)));
}

std::uint64_t mark(double second) {
  return static_cast<std::uint64_t>(second * 1000) + 1;
}

// An answer with lines of these stamps; new ones are added. One letter for each line: seen, left
// out, unknown, next.
std::string read(SeenLines& lines, const std::vector<double>& stamps) {
  lines.begin_answer();
  std::string places;
  for (const double stamp : stamps) {
    const LinePosition place = lines.place(at(stamp), mark(stamp));
    places += "slun"[static_cast<int>(place)];
    if (place == LinePosition::next) lines.add(at(stamp), mark(stamp));
  }
  return places;
}

std::string text(const SeenLines::Request& request) {
  const auto second = [](Time time) {
    std::ostringstream number;
    number << std::chrono::duration<double>(time.time_since_epoch()).count() - 1000;
    return number.str();
  };
  std::string words;
  if (request.since) words += cat("since ", second(*request.since), ' ');
  if (request.tail_lines) words += cat("tail ", *request.tail_lines);
  return words;
}

TEST_CASE("a request that resumes asks by time alone, whatever the limits were") {
  const LogOptions rows[] = {{},
                             {.since = at(5)},
                             {.tail_lines = 3},
                             {.since = at(5), .tail_lines = 3},
                             {.tail_lines = 0},
                             {.follow = false, .tail_lines = 3},
                             {.follow = false, .previous = true, .since = at(5)}};
  for (const LogOptions& asked : rows) {
    CAPTURE(&asked - rows);
    SeenLines lines(asked, {});
    read(lines, {20.5, 21.5});
    CHECK(text(lines.next_request()) == "since 20 ");
  }
}

TEST_CASE("until a line was seen the limits are asked for again") {
  CHECK(text(SeenLines({.since = at(5), .tail_lines = 3}, {}).next_request()) == "since 5 tail 3");
  // Without any line there would be nothing to resume from.
  CHECK(text(SeenLines({.tail_lines = 0}, {}).next_request()) == "tail 1");
  CHECK(text(SeenLines({.follow = false, .tail_lines = 0}, {}).next_request()) == "tail 0");
}

TEST_CASE("a time to begin at that is later than what was seen stays") {
  SeenLines lines({.since = at(20.9)}, {});
  read(lines, {21});
  CHECK(text(lines.next_request()) == "since 20.9 ");
}

TEST_CASE("lines before the last N come with a resumed answer and are not printed") {
  SeenLines lines({.tail_lines = 1}, {});
  CHECK(read(lines, {11}) == "n");
  CHECK(read(lines, {9.5, 10, 10.5, 11, 11.5}) == "lllsn");
  // Stamped later than what was seen, but written before it: stdout beside stderr.
  SeenLines crossing({.tail_lines = 1}, {});
  CHECK(read(crossing, {11}) == "n");
  CHECK(read(crossing, {11.2, 11, 11.5}) == "usn");
}

TEST_CASE("lines of a resumed answer before a seen line are not new") {
  SeenLines lines({}, {});
  CHECK(read(lines, {1, 2}) == "nn");
  CHECK(read(lines, {1.5, 2, 1.9, 3}) == "usnn");
}

TEST_CASE("behind a gap lines are new, though nothing that was seen came before them") {
  SeenLines lines({}, {});
  CHECK(read(lines, {1, 2}) == "nn");
  CHECK(read(lines, {60, 59.5, 61}) == "nnn");
  SeenLines limited({.tail_lines = 2}, {});
  CHECK(read(limited, {1, 2}) == "nn");
  CHECK(read(limited, {60, 61}) == "nn");
}

TEST_CASE("with --tail 0 the newest line shows where the log stood, and is not printed") {
  SeenLines lines({.tail_lines = 0}, {});
  lines.begin_answer();
  CHECK_FALSE(lines.add(at(5), mark(5)));
  CHECK(lines.add(at(6), mark(6)));
}

TEST_CASE("of a log that was empty when it was first looked at all lines are new") {
  SeenLines lines({.tail_lines = 2}, {});
  CHECK(lines.is_first_look());
  lines.first_look_was_empty({});
  CHECK(text(lines.next_request()) == "tail 2");  // a server that lost the node ends so, too
  lines.first_look_was_empty({});
  CHECK_FALSE(lines.is_first_look());
  CHECK(text(lines.next_request()).empty());
}

TEST_CASE("an unfinished line that was all there was is where the log stood") {
  SeenLines lines({.tail_lines = 1}, {});
  lines.first_look_was_empty(at(5.5));
  CHECK(text(lines.next_request()) == "since 4 ");
  CHECK(read(lines, {4.5, 5.5, 6}) == "lnn");
}

TEST_CASE("where the log of another run stood hides no line of this one") {
  SeenLines lines({.tail_lines = 1}, {});
  lines.first_look_was_empty(at(5.5));
  CHECK(read(lines, {6}) == "n");
  lines.forget();
  CHECK(read(lines, {4.5}) == "n");
}

TEST_CASE("lines that came under the run before are where the next run goes on") {
  SeenLines before({}, {});
  read(before, {1, 30, 31});
  SeenLines next({}, {before.window(), SeenAhead{at(30), at(31)}});
  CHECK(text(next.next_request()) == "since 30 ");
  CHECK(read(next, {30, 31, 32}) == "ssn");
}

}  // namespace seen_lines_test
}  // namespace trainctl::job
