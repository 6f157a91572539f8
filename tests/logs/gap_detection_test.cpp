// Which stamps show that lines are missing: without it a hole in a log looks like a quiet hour.
#include "logs/gap_detection.h"

#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fake_cluster.h"
#include "support/tail_reading.h"

namespace trainctl::job {

namespace gap_detection_test {

Time at(double second) {
  return Time(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1000 + second)));
}

struct Leaps {
  std::vector<double> begins;  // of files that the stream must come to
  std::vector<double> stamps;  // of the lines it brings
  std::vector<std::pair<double, double>> gaps;
};

TEST_CASE("a stream that comes past the begin of a file without that line has leapt over lines") {
  const Leaps rows[] = {
      {{}, {1, 2, 600}, {}},
      {{10}, {1, 10, 11}, {}},
      {{10}, {1, 20, 21}, {{1, 20}}},
      {{10}, {1, 11.5, 10, 30}, {}},           // stdout beside stderr
      {{10}, {1, 11.5}, {{1, 11.5}}},          // known when the stream ends
      {{10, 30}, {1, 10, 31}, {{10, 31}}},     // each file by itself
      {{10, 30}, {1, 40}, {{1, 40}}},          // one gap over both
      {{10, 30}, {1, 40, 50}, {{1, 40}}},      // reported once
      {{10, 30}, {1, 12, 30, 31}, {{1, 12}}},  // and read on
  };
  for (const Leaps& row : rows) {
    CAPTURE(row.stamps.back());
    GapDetection gaps({});
    std::vector<std::pair<double, double>> found;
    const auto note = [&found](const std::optional<GapDetection::Leap>& leap) {
      const auto second = [](Time time) {
        return std::chrono::duration<double>(time.time_since_epoch()).count() - 1000;
      };
      if (leap) found.emplace_back(second(leap->after), second(leap->before));
    };
    note(gaps.meet(at(row.stamps.front())));
    for (const double begin : row.begins) gaps.expect(at(begin));
    for (std::size_t i = 1; i < row.stamps.size(); ++i) note(gaps.meet(at(row.stamps[i])));
    note(gaps.end_stream());
    CHECK(found == row.gaps);
  }
}

TEST_CASE("a file that began before what was read is not waited for") {
  GapDetection gaps({});
  gaps.meet(at(20));
  gaps.expect(at(5));
  CHECK_FALSE(gaps.meet(at(60)));
  CHECK_FALSE(gaps.end_stream());
}

struct Begin {
  double first;       // stamp of the log's first line; its container started at 0
  std::size_t bytes;  // of all lines
  bool live;
  bool late;
};

TEST_CASE("a long log that begins long after its container has lost its head") {
  const Begin rows[] = {
      {40, 70'000, false, true},
      {40, 60'000, false, false},  // too short to have been rotated
      {9, 70'000, false, false},   // a container that takes its time to print
      {40, 70'000, true, false},   // it came as it was written
  };
  for (const Begin& row : rows) {
    CAPTURE(row.first);
    GapDetection gaps(at(0));
    std::optional<Duration> late;
    for (int line = 0; line < 10 && gaps.watches_begin(); ++line) {
      const auto found = gaps.late_begin(at(row.first + line), row.bytes / 10, row.live);
      if (found) late = found;
    }
    CHECK(late == (row.late ? std::optional(at(row.first) - at(0)) : std::nullopt));
  }
}

TEST_CASE("a clock that is set back is noticed once, and stamps that cross by a little are not") {
  GapDetection gaps({});
  gaps.meet(at(100));
  gaps.meet(at(98.5));
  CHECK_FALSE(gaps.take_clock_set_back());
  gaps.meet(at(50));
  CHECK(gaps.take_clock_set_back());
  CHECK_FALSE(gaps.take_clock_set_back());
}

}  // namespace gap_detection_test

// Lines that a user would lose without a word when a node reads more slowly than a container
// writes.
namespace gap_detection_test {

using namespace trainctl::testing;
using std::chrono::seconds;

// A stream whose first part is busy enough to make the begin of the current file worth asking for;
// the second part comes later.
Exchange busy_stream(std::string_view then) {
  Exchange exchange = log_answer(line(1, std::string(300'000, 'x')) + line(2, "in the first file"),
                                 "", seconds(1), {{"follow", "true"}});
  exchange.chunks.push_back({seconds(1), std::string(then)});
  return exchange;
}

Exchange begin_of_file(std::string data) {
  return log_answer(std::move(data), "", {}, {{"limitBytes", "32768"}});
}

TailReading follow_busy(Exchange begin, std::string_view then) {
  FakeCluster cluster({busy_stream(then), std::move(begin), rest_answer(line(30, "end"))});
  return follow(cluster, 1);
}

TEST_CASE("P23 a file that the node's reader leapt over is reported as a gap") {
  const TailReading reading = follow_busy(begin_of_file(line(10, "first") + line(11, "second")),
                                          line(20, "in the third file") + line(30, "end"));
  CHECK(reading.lines.size() == 4);
  CHECK(reading.notices ==
        Lines{"possible gap in the log of ddp-master-0 between 2026-01-02T03:04:07Z and "
              "2026-01-02T03:04:25Z: the node has rotated it"});
}

TEST_CASE("a file that the node's reader comes to is no gap") {
  const TailReading reading =
      follow_busy(begin_of_file(line(10, "first") + line(11, "second")),
                  line(10, "first") + line(11.5, "stdout") + line(11, "second") + line(30, "end"));
  CHECK(reading.notices.empty());
}

TEST_CASE("a log that ends right behind a leap does not hide it") {
  const TailReading reading =
      follow_busy(begin_of_file(line(28, "first") + line(29.5, "second")), line(30, "end"));
  CHECK(reading.notices.size() == 1);
}

TEST_CASE("a file that begins within a split line is recognised by its next one") {
  const TailReading reading =
      follow_busy(begin_of_file(line(10, "rest of a split line") + line(11, "second")),
                  line(9, "a split line, and its rest") + line(11, "second") + line(30, "end"));
  CHECK(reading.notices.empty());
}

TEST_CASE("of the file that is being read already nothing is expected") {
  const TailReading reading = follow_busy(
      begin_of_file(line(0.5, "older than all read") + line(1, "older")), line(30, "end"));
  CHECK(reading.notices.empty());
}

TEST_CASE("a refused question about the current file disturbs nobody") {
  Exchange refused = begin_of_file(R"({"kind":"Status","code":403,"message":"no"})");
  refused.status = 403;
  const TailReading reading = follow_busy(std::move(refused), line(30, "end"));
  CHECK(reading.notices.empty());
  CHECK(reading.lines.back() == "end");
}

}  // namespace gap_detection_test

}  // namespace trainctl::job
