// Rows of text as aligned columns.
#pragma once

#include <string>
#include <vector>

#include "base/console.h"

namespace trainctl {

struct Cell {
  std::string text;
  Colour colour = Colour::none;
};

class Table {
 public:
  explicit Table(std::vector<std::string> header);

  // Columns at least so wide, for tables that are printed row by row; the last needs none.
  void at_least(std::vector<int> widths) { least_ = std::move(widths); }
  // On a terminal no row is wider than it is: the last column ends in an ellipsis. A pipe gets all.
  void fit(const Console& console);
  // As many cells as the header has.
  void add(std::vector<Cell> row);

  // Columns padded to their widest cell and three spaces, as kubectl does, on a terminal and in a
  // pipe alike; colours only where the console wants them. Empty cells print as "-".
  std::string text(const Console& console, bool with_header = true) const;

 private:
  std::vector<int> widths(bool with_header) const;

  std::vector<std::string> header_;
  std::vector<int> least_;
  int most_ = 0;  // columns of a whole row; 0 = any number
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace trainctl
