// Understands what bars use: carriage returns, rows up and down, and the erasing of a row.
#include "base/text/rewritten_rows.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

constexpr std::size_t k_most_rows = 100;

bool moves_up(std::string_view line) {
  while (!line.empty()) {
    const auto escape = line.find('\x1b');
    if (escape == std::string_view::npos) return false;
    line.remove_prefix(escape);
    if (take_sequence(line).ends_with('A')) return true;
  }
  return false;
}

// "ESC [ 3 A" is three rows, and so is a missing number one.
std::size_t count_of(std::string_view sequence) {
  std::size_t count = 1;
  constexpr std::size_t k_begin = 2;
  std::from_chars(sequence.data() + k_begin, sequence.data() + sequence.size(), count);
  return std::min(count, k_most_rows);
}

}  // namespace

std::vector<std::string> RewrittenRows::take(std::string_view line) {
  const bool comes_back = moves_up(line);
  if (!comes_back && at_ == rows_.size()) {
    std::vector<std::string> final_rows = rest();
    final_rows.emplace_back(last_shown(line));
    return final_rows;
  }
  write(line);
  ++at_;
  at_begin_of_row_ = true;
  return at_ < k_most_rows ? std::vector<std::string>() : rest();
}

std::vector<std::string> RewrittenRows::rest() {
  std::erase_if(rows_, [](const std::string& row) { return trim(row).empty(); });
  at_ = 0;
  at_begin_of_row_ = true;
  return std::exchange(rows_, {});
}

void RewrittenRows::write(std::string_view line) {
  while (!line.empty()) {
    if (const std::string_view sequence = take_sequence(line); !sequence.empty()) {
      move(sequence);
      continue;
    }
    if (line.front() == '\r') {
      at_begin_of_row_ = true;
    } else {
      if (std::exchange(at_begin_of_row_, false)) row().clear();
      row() += line.front();
    }
    line.remove_prefix(1);
  }
}

void RewrittenRows::move(std::string_view sequence) {
  switch (sequence.back()) {
    case 'A':
      at_ -= std::min(at_, count_of(sequence));
      return;
    case 'B':
      at_ = std::min(at_ + count_of(sequence), k_most_rows);
      return;
    case 'K':
      return row().clear();
    case 'm':
      row() += sequence;
      return;
    default:
      return;
  }
}

std::string& RewrittenRows::row() {
  if (at_ >= rows_.size()) rows_.resize(at_ + 1);
  return rows_[at_];
}

}  // namespace trainctl
