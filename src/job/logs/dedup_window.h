// The most recent lines of a log, kept to recognise those that a resumed stream sends again.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/text/time.h"

namespace trainctl::job {

// Holds the lines of the newest seconds. A resumed stream repeats them, because the server's
// sinceTime has a precision of one second (kubernetes#77856).
class DedupWindow {
 public:
  // `line` is the line's mark (job/logs/line_assembler.h). Returns true when the line was seen on
  // an earlier connection and has not come again on this one yet.
  bool repeats(std::uint64_t line) { return !expected_.empty() && take_expected(line); }
  void add(Time stamp, std::uint64_t line) {
    if (stamp >= next_second_) begin_second(stamp);
    (stamp >= next_second_ - k_second ? this_second_ : earlier_).push_back(line);
    newest_ = line;
  }
  // Begins a new connection, on which every line seen may come once more.
  void resume();
  // True when this connection has repeated a seen line, which shows that it reads the same log.
  bool overlapped() const { return overlapped_; }
  // True when it has repeated the newest line seen, so that nothing is missing in between.
  bool newest_met() const { return !expected_.contains(newest_); }

 private:
  bool take_expected(std::uint64_t line);
  void begin_second(Time stamp);

  static constexpr Duration k_second = std::chrono::seconds(1);
  Time next_second_{};
  std::vector<std::uint64_t> this_second_, earlier_;
  std::unordered_map<std::uint64_t, int> expected_;
  std::uint64_t newest_ = 0;
  bool overlapped_ = false;
};

}  // namespace trainctl::job
