// Limits (--tail, --since) hold when a log is asked for first: what follows is neither old nor
// missing.
#include <doctest/doctest.h>

#include "base/text/time.h"
#include "logs/log_tail.h"
#include "support/fake_cluster.h"
#include "support/tail_reading.h"

namespace trainctl::job {
namespace log_tail_limits_test {

using namespace trainctl::testing;
using std::chrono::seconds;

const std::string k_last_seconds = line(8, "8") + line(8.5, "9") + line(9, "10") + line(9.5, "11");

Exchange last_lines(std::string data, std::string ending = "") {
  return log_answer(std::move(data), std::move(ending), {}, {{"tailLines", "1"}});
}

Exchange resumed(std::string data, std::string ending = "") {
  return log_answer(std::move(data), std::move(ending), {},
                    {{"sinceTime", "2026-01-02T03:04:13Z"}});
}

TailTask last_line(bool follow = true) {
  return {.asked = {.follow = follow, .tail_lines = 1}};
}

TEST_CASE("the last line of an ended log is not followed by the lines before it") {
  FakeCluster cluster({last_lines(line(9.5, "11")), resumed(k_last_seconds)});
  const RunEnd end{.finished = parse_time("2026-01-02T03:04:16Z")};
  const TailReading reading = follow(cluster, {.ends_at = 0, .end = end, .task = last_line()});
  CHECK(reading.lines == Lines{"11"});
  CHECK(reading.notices.empty());
}

TEST_CASE("a log that is read as it is goes on behind a cut, not before it") {
  FakeCluster cluster({log_answer(line(8, "8") + line(8.5, "9"), "reset", {}, {{"tailLines", "1"}}),
                       log_answer(line(7, "6") + line(7.5, "7") + k_last_seconds)});
  const TailReading reading = follow(cluster, {.task = last_line(false)});
  CHECK(reading.lines == Lines{"8", "9", "10", "11"});
  CHECK(reading.notices.size() == 1);  // of the reset
}

TEST_CASE("a stream that is cut before it has come to the last line shows nothing from before it") {
  Exchange stream = resumed(k_last_seconds + line(12, "12"), "never");
  FakeCluster cluster({last_lines(line(9.5, "11")), resumed(line(8, "8") + line(8.5, "9"), "reset"),
                       std::move(stream),
                       rest_answer(line(11.5, "written before 12") + line(12, "12"))});
  const TailReading reading = follow(cluster, {.ends_at = 20, .task = last_line()});
  CHECK(reading.lines == Lines{"11", "12"});
}

TEST_CASE("lines written while a connection is made anew are not left out for a limit") {
  FakeCluster cluster(
      {last_lines(""), last_lines(""),
       log_answer(line(1, "a") + line(2, "b"), "reset", {}, {{"follow", "true"}}),
       log_answer(line(1, "a") + line(2, "b") + line(3, "c"), "never", {}, {{"follow", "true"}}),
       rest_answer(line(2, "b") + line(3, "c"))});
  const TailReading reading = follow(cluster, {.ends_at = 6, .task = last_line()});
  CHECK(reading.lines == Lines{"a", "b", "c"});
}

TEST_CASE("with --tail 0 a cut costs none of the lines that come, and shows none before") {
  FakeCluster cluster({last_lines(line(9.5, "11")), resumed(k_last_seconds, "reset"),
                       resumed(k_last_seconds + line(10.1, "12"), "never"),
                       rest_answer(k_last_seconds + line(10.1, "12"))});
  const TailTask task{.asked = {.tail_lines = 0}};
  const TailReading reading = follow(cluster, {.ends_at = 6, .task = task});
  CHECK(reading.lines == Lines{"12"});
}

TEST_CASE("the limit is asked for again when its answer was cut before the first line") {
  FakeCluster cluster({last_lines("", "reset"), last_lines(line(9.5, "11")),
                       resumed(k_last_seconds, "never"), rest_answer(k_last_seconds)});
  TailTask task = last_line();
  task.started = parse_time("2026-01-02T03:04:14Z");
  const TailReading reading = follow(cluster, {.ends_at = 6, .task = task});
  CHECK(reading.lines == Lines{"11"});
}

}  // namespace log_tail_limits_test
}  // namespace trainctl::job
