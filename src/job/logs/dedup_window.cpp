// Keeps the marks of the newest two seconds, each as often as its line was seen.
#include "job/logs/dedup_window.h"

#include <utility>

namespace trainctl::job {

bool DedupWindow::take_expected(std::uint64_t line) {
  const auto found = expected_.find(line);
  if (found == expected_.end()) return false;
  overlapped_ = true;
  if (--found->second == 0) expected_.erase(found);
  return true;
}

// Stamps of stdout and stderr may be slightly out of order, so the second before is kept, too.
void DedupWindow::begin_second(Time stamp) {
  const bool follows = stamp < next_second_ + k_second;
  earlier_ = follows ? std::move(this_second_) : std::vector<std::uint64_t>{};
  this_second_.clear();
  next_second_ = std::chrono::floor<std::chrono::seconds>(stamp) + k_second;
}

void DedupWindow::resume() {
  expected_.clear();
  for (const std::uint64_t line : this_second_) ++expected_[line];
  for (const std::uint64_t line : earlier_) ++expected_[line];
  overlapped_ = false;
}

}  // namespace trainctl::job
