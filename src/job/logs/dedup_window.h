// Which lines of a log were seen, as far as a resumed stream may bring them again.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/time.h"

namespace trainctl::job {

// The lines seen in the newest seconds, to recognise them when a resumed stream repeats them: the
// server's sinceTime has a precision of one second (kubernetes#77856).
class DedupWindow {
 public:
  // `line`: its mark (job/logs/line_assembler.h). True when the line was seen on an earlier
  // connection and not yet met on this one.
  bool repeats(std::uint64_t line) { return !expected_.empty() && take_expected(line); }
  void add(Time stamp, std::uint64_t line) {
    if (stamp >= next_second_) begin_second(stamp);
    (stamp >= next_second_ - k_second ? this_second_ : earlier_).push_back(line);
    newest_ = line;
  }
  // A new connection begins: what was seen may come once more.
  void resume();
  // This connection has brought a line seen before, so it reads the same log.
  bool overlapped() const { return overlapped_; }
  // It has brought the line seen last, so nothing lies between.
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
