// Resumes a second before the newest line, and recognises new lines by their order.
#include "logs/seen_lines.h"

#include <algorithm>
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

namespace {

using std::chrono::seconds;

// The stamps of stdout and stderr can be this far out of order, since the runtime reads the two
// side by side.
constexpr Duration k_disorder = seconds(2);
// One empty answer is not enough, because an API server that loses the node ends an answer cleanly,
// too.
constexpr int k_empty_looks = 2;

Time resume_time(Time newest) {
  return std::chrono::floor<seconds>(newest) - seconds(1);
}

}  // namespace

SeenLines::SeenLines(const LogOptions& asked, const Handover& before)
    : attaches_(asked.follow),
      since_(asked.since_by_node ? std::nullopt : asked.since),
      tail_lines_(asked.tail_lines),
      window_(before.window) {
  if (!before.ahead) return;
  first_ = before.ahead->first;
  last_ = before.ahead->last;
}

SeenLines::Request SeenLines::next_request() const {
  if (last_ || begin_)
    return {std::max(since_, std::optional(resume_time(last_ ? *last_ : *begin_))), {}};
  if (!attaches_ || !tail_lines_) return {since_, tail_lines_};
  return {since_, std::max(*tail_lines_, 1L)};  // without any line there is nothing to resume from
}

void SeenLines::first_look_was_empty(std::optional<Time> unfinished) {
  if (unfinished) {
    begin_ = unfinished;
  } else if (++empty_looks_ >= k_empty_looks) {
    tail_lines_.reset();  // all lines from now on were written after the first look
  }
}

void SeenLines::begin_answer() {
  window_.resume();
  edge_ = last_;
  const bool all_come_again = last_ && begin_ && *begin_ >= resume_time(*last_);
  if (all_come_again) *edge_ += k_disorder;
}

// No seen line has come yet. Seen lines precede new ones in a file, unless they were rotated away.
SeenLines::LinePosition SeenLines::place_before_seen(Time stamp) const {
  if (begin_ && (edge_ || !last_) && stamp < *begin_) return LinePosition::left_out;
  return edge_ && stamp <= *edge_ ? LinePosition::unknown : LinePosition::next;
}

bool SeenLines::was_whole(Time stamp) const {
  if (window_.newest_met()) return false;
  return window_.overlapped() || (edge_ && stamp <= *last_);
}

void SeenLines::forget() {
  begin_.reset();
  first_.reset();
  last_.reset();
}

}  // namespace trainctl::job
