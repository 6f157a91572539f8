// Aligns columns by their width on a terminal, not by bytes.
#include "base/text/table.h"

#include <algorithm>
#include <numeric>

#include "base/text/terminal_text.h"
#include "base/text/text.h"

namespace trainctl {

namespace {

constexpr int k_gap = 3;
constexpr int k_narrow_gap = 2;   // gap between columns that would not fit the terminal otherwise
constexpr int k_least_last = 12;  // minimum width of the last column
constexpr int k_least_wrapped = 30;  // the same where it continues on further lines

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

Table Table::without_column(std::size_t column) const {
  Table table = *this;
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.header_.erase(table.header_.begin() + at);
  for (auto& row : table.rows_) row.erase(row.begin() + at);
  if (column < table.least_.size()) table.least_.erase(table.least_.begin() + at);
  table.droppable_.erase(table.droppable_.begin());
  for (std::size_t& next : table.droppable_) next -= next > column ? 1 : 0;
  return table;
}

std::string Table::text(const Console& console, bool with_header) const {
  const std::vector<int> widths = this->widths(with_header);
  const std::size_t last = header_.size() - 1;
  const int columns = std::accumulate(widths.begin(), widths.end(), 0);
  const auto gaps = static_cast<int>(last);
  // A row that is too wide first gets narrower gaps.
  const int gap = most_ > 0 && columns + gaps * k_gap > most_ ? k_narrow_gap : k_gap;
  const int needed =
      columns - (wraps_ ? std::max(widths[last] - k_least_wrapped, 0) : 0) + gaps * gap;
  if (most_ > 0 && needed > most_ && !droppable_.empty()) {
    return without_column(droppable_.front()).text(console, with_header);
  }
  const int before = columns - widths[last] + gaps * gap;
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
    text += console.painted(cell, colour);
    text.append(static_cast<std::size_t>(widths[column] - display_width(cell) + gap), ' ');
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
