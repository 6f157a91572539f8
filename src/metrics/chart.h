// A chart in a terminal: curves of braille dots between axes, and a legend below them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/console/console.h"
#include "metrics/chart_input.h"

namespace trainctl::view {

// Lines of at most size.width columns, at most size.height of them, in the console's colours. A
// letter stands at the end of each of several curves, so that they can be told apart without
// colours. Curves for which the legend has no room are not drawn: the first ones are. Less than 30
// columns or 8 lines give one sentence; so does a chart without points.
std::string chart_text(const ChartInput& all, Console::Size size, const Console& console);

// Dots in cells of a terminal, each of which has two columns and four rows of dots.
class DotCanvas {
 public:
  DotCanvas(std::size_t columns, std::size_t rows)
      : columns_(columns), rows_(rows), cells_(columns * rows) {}

  struct Dot {
    int x = 0, y = 0;  // from the upper left corner
  };
  // Dots outside the canvas are left out. `owner`: the latest one gives the cell its colour.
  void draw(Dot dot, std::size_t owner);
  void draw_line(Dot from, Dot to, std::size_t owner);

  // One character; a blank for a cell without dots.
  std::string cell(std::size_t column, std::size_t row) const;
  bool is_blank(std::size_t column, std::size_t row) const { return at(column, row).dots == 0; }
  std::size_t owner(std::size_t column, std::size_t row) const { return at(column, row).owner; }

 private:
  struct Cell {
    unsigned dots = 0;
    std::size_t owner = 0;
  };
  const Cell& at(std::size_t column, std::size_t row) const {
    return cells_[row * columns_ + column];
  }

  std::size_t columns_, rows_;
  std::vector<Cell> cells_;
};

}  // namespace trainctl::view
