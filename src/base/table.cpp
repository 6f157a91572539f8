// Aligns columns by what a terminal shows, not by bytes.
#include "base/table.h"

#include <algorithm>

#include "base/text.h"

namespace trainctl {

namespace {

constexpr int k_gap = 3;

std::string shown(const std::string& text) {
  return text.empty() ? "-" : printable_line(text);
}

}  // namespace

Table::Table(std::vector<std::string> header) : header_(std::move(header)) {}

void Table::add(std::vector<Cell> row) {
  rows_.push_back(std::move(row));
}

std::string Table::text(const Console& console, bool with_header) const {
  std::vector<int> widths = least_;
  widths.resize(header_.size(), 0);
  for (std::size_t column = 0; column < header_.size(); ++column) {
    if (with_header) widths[column] = std::max(widths[column], display_width(header_[column]));
    for (const auto& row : rows_) {
      widths[column] = std::max(widths[column], display_width(shown(row[column].text)));
    }
  }
  std::string text;
  const auto put = [&](std::size_t column, const std::string& cell, Colour colour) {
    text += console.painted(cell, colour);
    const bool last = column + 1 == header_.size();
    if (!last)
      text.append(static_cast<std::size_t>(widths[column] - display_width(cell) + k_gap), ' ');
    if (last) text += '\n';
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
