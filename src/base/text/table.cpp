// Aligns columns by their width on a terminal, not by bytes.
#include "base/text/table.h"

#include <algorithm>
#include <numeric>

#include "base/text/terminal_text.h"
#include "base/text/text.h"

namespace trainctl {

namespace {

constexpr int k_gap = 3;
constexpr int k_narrow_gap = 2;     // gap between columns that would not fit the terminal otherwise
constexpr int k_least_last = 12;    // minimum width of the last column
constexpr int k_kept_of_last = 30;  // more of it gives no other column away
constexpr int k_least_cut = 8;      // minimum width of a column that is cut

std::string shown(const std::string& text) {
  return text.empty() ? "-" : printable_line(text);
}

}  // namespace

Table::Table(std::vector<std::string> header) : header_(std::move(header)) {}

void Table::add(std::vector<Cell> row) {
  rows_.push_back(std::move(row));
}

void Table::fit(const Console& console) {
  if (console.out_is_tty) most_ = console.width;
}

void Table::wrap(const Console& console) {
  fit(console);
  wraps_ = most_ > 0;
}

std::vector<int> Table::widths(bool with_header) const {
  std::vector<int> widths = least_;
  widths.resize(header_.size(), 0);
  for (std::size_t column = 0; column < header_.size(); ++column) {
    if (with_header) widths[column] = std::max(widths[column], display_width(header_[column]));
    for (const auto& row : rows_) {
      widths[column] = std::max(widths[column], display_width(shown(row[column].text)));
    }
  }
  return widths;
}

std::size_t Table::empty_cells(std::size_t column) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      rows_, [column](const auto& row) { return shown(row[column].text) == "-"; }));
}

std::size_t Table::next_to_drop() const {
  std::size_t next = header_.size();
  for (auto heading = droppable_.rbegin(); heading != droppable_.rend(); ++heading) {
    const auto found = std::ranges::find(header_, *heading);
    if (found != header_.end()) next = static_cast<std::size_t>(found - header_.begin());
  }
  for (std::size_t column = 0; column < header_.size(); ++column) {
    const auto is_one_of = [&](const std::vector<std::string>& headings) {
      return std::ranges::find(headings, header_[column]) != headings.end();
    };
    const std::size_t empty = empty_cells(column);
    const bool is_empty = empty == rows_.size() && is_one_of(droppable_);
    const bool is_sparse = 2 * empty > rows_.size() && is_one_of(droppable_if_sparse_);
    if (is_empty || is_sparse) return column;
  }
  return next;
}

// The widest columns give way until the last one has room.
std::vector<int> Table::fitting_widths(std::vector<int> widths) const {
  if (most_ == 0) return widths;
  const std::size_t last = widths.size() - 1;
  const int gaps = static_cast<int>(last) * k_narrow_gap;
  const int kept = std::min(widths[last], k_least_last);
  int over = std::accumulate(widths.begin(), widths.end() - 1, 0) + gaps + kept - most_;
  for (; over > 0; --over) {
    const auto widest = std::max_element(widths.begin(), widths.end() - 1);
    if (widest == widths.end() - 1 || *widest <= k_least_cut) break;
    --*widest;
  }
  return widths;
}

Table Table::without_column(std::size_t column) const {
  Table table = *this;
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.header_.erase(table.header_.begin() + at);
  for (auto& row : table.rows_) row.erase(row.begin() + at);
  if (column < table.least_.size()) table.least_.erase(table.least_.begin() + at);
  return table;
}

std::string Table::text(const Console& console, bool with_header) const {
  const std::vector<int> whole = widths(with_header);
  const std::size_t last = header_.size() - 1;
  const auto gaps = static_cast<int>(last);
  const int columns = std::accumulate(whole.begin(), whole.end(), 0);
  // A row that is too wide first gets narrower gaps.
  const int gap = most_ > 0 && columns + gaps * k_gap > most_ ? k_narrow_gap : k_gap;
  const int needed = columns - std::max(whole[last] - k_kept_of_last, 0) + gaps * gap;
  const std::size_t dropped = most_ > 0 && needed > most_ ? next_to_drop() : header_.size();
  if (dropped < header_.size()) return without_column(dropped).text(console, with_header);
  const std::vector<int> widths = fitting_widths(whole);
  const int before = std::accumulate(widths.begin(), widths.end() - 1, 0) + gaps * gap;
  const int left = std::max(most_ - before, k_least_last);
  const auto last_cell = [&](const std::string& cell) {
    if (!wraps_) return most_ > 0 ? shortened(cell, left) : cell;
    return wrapped(cell, static_cast<std::size_t>(before), static_cast<std::size_t>(before + left));
  };
  std::string text;
  const auto put = [&](std::size_t column, const std::string& cell, Colour colour) {
    if (column == last) {
      text += console.painted(last_cell(cell), colour) + '\n';
      return;
    }
    const std::string fits = most_ > 0 ? shortened(cell, widths[column]) : cell;
    text += console.painted(fits, colour);
    text.append(static_cast<std::size_t>(widths[column] - display_width(fits) + gap), ' ');
  };
  for (std::size_t column = 0; with_header && column < header_.size(); ++column) {
    put(column, header_[column], Colour::none);
  }
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < header_.size(); ++column) {
      put(column, shown(row[column].text), row[column].colour);
    }
  }
  return text;
}

}  // namespace trainctl
