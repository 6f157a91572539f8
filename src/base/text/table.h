// Rows of text as aligned columns.
#pragma once

#include <string>
#include <vector>

#include "base/console/console.h"

namespace trainctl {

struct Cell {
  std::string text;
  Colour colour = Colour::none;
};

class Table {
 public:
  explicit Table(std::vector<std::string> header);

  // Sets minimum widths of columns, for tables that are printed row by row; the last column needs
  // none.
  void at_least(std::vector<int> widths) { least_ = std::move(widths); }
  // Limits rows to a terminal's width: the last column ends in an ellipsis, and so do the widest
  // others where that is not enough. A pipe gets whole rows.
  void fit(const Console& console);
  // The same, but the last column continues at words on further lines.
  void wrap(const Console& console);
  // Columns to leave out, one after another, while rows are wider than the terminal; for fit() and
  // wrap(). First go those in which nothing stands, and those of `if_sparse` in which most rows
  // have nothing. Headings that the table lacks do not count.
  void may_drop(std::vector<std::string> headings, std::vector<std::string> if_sparse = {}) {
    droppable_ = std::move(headings);
    droppable_if_sparse_ = std::move(if_sparse);
  }
  // Adds a row with as many cells as the header.
  void add(std::vector<Cell> row);

  // The table's text: columns padded to their widest cell and three spaces, as kubectl does, on a
  // terminal and in a pipe alike; colours only where the console wants them. Empty cells print as
  // "-".
  std::string text(const Console& console, bool with_header = true) const;

  // The columns' widths, with which a table that follows lines up.
  std::vector<int> widths(bool with_header = true) const;

 private:
  std::vector<std::string> header_;
  std::vector<int> least_;
  // The next column to leave out; the header's size = none.
  std::size_t next_to_drop() const;
  std::size_t empty_cells(std::size_t column) const;
  Table without_column(std::size_t column) const;
  std::vector<int> fitting_widths(std::vector<int> widths) const;

  int most_ = 0;  // width of a whole row; 0 = unlimited
  bool wraps_ = false;
  std::vector<std::string> droppable_, droppable_if_sparse_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace trainctl
