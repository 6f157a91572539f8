// Which stamps show that lines are missing: without it a hole in a log looks like a quiet hour.
#include "job/logs/gap_detection.h"

#include <vector>

#include <doctest/doctest.h>

namespace trainctl::job {
namespace TEST_FILE {

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

}  // namespace TEST_FILE
}  // namespace trainctl::job
