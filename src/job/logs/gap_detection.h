// Gaps that the stamps of a log show: a leap over a rotated file, a late begin, a clock set back.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"

namespace trainctl::job {

class GapDetection {
 public:
  // Nothing came between these two lines, though something was written there.
  struct Leap {
    Time after, before;
  };

  // `started`: when the container did; set when its log is to be read from there on.
  explicit GapDetection(std::optional<Time> started) : started_(started) {}

  // A file of the log begins with the line of this stamp, so the stream must bring that line.
  void expect(Time file_begin);
  // The stream has brought a line not seen before.
  std::optional<Leap> meet(Time stamp) {
    clock_set_back_ = clock_set_back_ || stamp < newest_ - k_disorder;
    const Time before = newest_;
    if (stamp > newest_) newest_ = stamp;
    return begins_.empty() || stamp < begins_.front() ? std::nullopt : meet_begin(before, stamp);
  }
  // The stream has ended, or goes on elsewhere: what it has come past will not come any more.
  std::optional<Leap> end_stream();

  // What came was another run's.
  void forget();

  // How late the log begins, once it is long enough to have been rotated. A line of so many bytes
  // came; `live`: the answer was open for a while, so that the line was just written.
  bool watches_begin() const { return started_.has_value(); }
  std::optional<Duration> late_begin(Time stamp, std::size_t bytes, bool live);

  // The node would leave out what it has stamped before the time that is asked for. Says so once.
  bool take_clock_set_back();

 private:
  // Of the stamps of stdout and stderr, at most: the runtime reads them side by side.
  static constexpr Duration k_disorder = std::chrono::seconds(2);

  std::optional<Leap> meet_begin(Time before, Time stamp);

  struct Begin {
    Time first;
    std::size_t bytes = 0;
  };

  std::optional<Time> started_;  // unset when it need not be known any more
  std::optional<Begin> begin_;
  std::vector<Time> begins_;  // stamps of lines that the stream is to bring, in order
  std::optional<Leap> leap_;  // it has come past the first of them
  Time newest_{};
  bool clock_set_back_ = false;
};

}  // namespace trainctl::job
