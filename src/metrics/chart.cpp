// Labels that would touch their neighbours are left out, and so are facts that do not fit into the
// legend: nothing is cut but names.
#include "metrics/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "metrics/chart_axis.h"

namespace trainctl::view {
namespace {

constexpr int k_least_width = 30;
constexpr int k_least_height = 8;

// Neighbours differ in brightness as well as in colour, for the colour-blind.
// Blue is missing: terminals show it too dark on black.
constexpr std::array<Colour, 5> k_palette = {Colour::cyan, Colour::yellow, Colour::magenta,
                                             Colour::green, Colour::red};

Colour colour_of(std::size_t curve) {
  return k_palette[curve % k_palette.size()];
}

// A to Z, then a to z, and again.
std::string letter_of(std::size_t curve) {
  constexpr std::string_view k_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return {k_letters[curve % k_letters.size()]};
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(display_width(text));
}

// One line of the screen, cell by cell.
class Row {
 public:
  explicit Row(std::size_t columns) : cells_(columns, {" ", Colour::none}) {}

  void put(std::size_t column, std::string text, Colour colour = Colour::none) {
    if (column < cells_.size()) cells_[column] = {std::move(text), colour};
  }
  // ASCII, one character a cell.
  void write(std::size_t column, std::string_view text, Colour colour = Colour::none) {
    for (const char c : text) put(column++, std::string(1, c), colour);
  }

  std::string text(const Console& console) const {
    std::size_t end = cells_.size();
    while (end > 0 && cells_[end - 1].first == " ") --end;
    std::string line;
    for (std::size_t at = 0; at < end;) {
      const Colour colour = cells_[at].second;
      std::string run;
      for (; at < end && cells_[at].second == colour; ++at) run += cells_[at].first;
      line += colour == Colour::none ? run : console.painted(run, colour);
    }
    return line + '\n';
  }

 private:
  std::vector<std::pair<std::string, Colour>> cells_;
};

struct LegendEntry {
  std::string text;
  std::size_t columns = 0;
};

// How much an entry says, from the most to the least.
enum class LegendDetail { all_facts, first_fact, name_only };

// The name with as many facts as fit.
LegendEntry legend_entry(const ChartCurve& curve, std::size_t room, LegendDetail detail) {
  constexpr std::size_t k_shortest_name = 10;
  std::string name = printable_line(curve.name);
  const bool is_short = detail != LegendDetail::all_facts || columns_of(name) > room / 2;
  if (is_short && !curve.short_name.empty()) name = printable_line(curve.short_name);
  const std::size_t least = std::min(columns_of(name), k_shortest_name);
  std::vector<std::string> known = legend_facts(curve);
  if (detail == LegendDetail::first_fact && known.size() > 1) known.resize(1);
  if (detail == LegendDetail::name_only) known.clear();
  std::string facts;
  for (const std::string& fact : known) {
    const std::string more = "  " + fact;
    if (least + columns_of(facts) + columns_of(more) <= room) facts += more;
  }
  const std::string text = shortened(name, static_cast<int>(room - columns_of(facts))) + facts;
  return {text, columns_of(text)};
}

// Entries that stand side by side where the terminal is wide.
struct Legend {
  std::vector<LegendEntry> entries;
  std::size_t widest = 0;  // with its letter
  std::size_t in_a_line = 1;

  std::size_t lines() const { return (entries.size() + in_a_line - 1) / in_a_line; }
};

constexpr std::size_t k_between_entries = 3;

std::size_t letter_room(const ChartInput& input) {
  return input.curves.size() > 1 ? 2 : 0;
}

Legend legend_of(const ChartInput& input, std::size_t width, LegendDetail detail) {
  Legend legend;
  const std::size_t letter = letter_room(input);
  for (const ChartCurve& curve : input.curves) {
    legend.entries.push_back(legend_entry(curve, width - letter, detail));
    legend.widest = std::max(legend.widest, legend.entries.back().columns + letter);
  }
  legend.in_a_line =
      std::max<std::size_t>(1, (width + k_between_entries) / (legend.widest + k_between_entries));
  return legend;
}

// The most telling legend that has an entry for each curve within its lines; else the shortest one.
Legend fitting_legend(const ChartInput& input, std::size_t width, std::size_t most_lines) {
  for (const auto detail : {LegendDetail::all_facts, LegendDetail::first_fact}) {
    Legend legend = legend_of(input, width, detail);
    if (legend.lines() <= most_lines) return legend;
  }
  return legend_of(input, width, LegendDetail::name_only);
}

std::vector<std::string> legend_lines(const Legend& legend, std::size_t letter,
                                      const Console& console) {
  std::vector<std::string> lines;
  const std::size_t count = legend.entries.size();
  for (std::size_t at = 0; at < count; ++at) {
    if (at % legend.in_a_line == 0) lines.emplace_back();
    std::string& line = lines.back();
    if (letter > 0) line += console.painted(letter_of(at), colour_of(at)) + ' ';
    line += legend.entries[at].text;
    const bool is_last = at + 1 == count || (at + 1) % legend.in_a_line == 0;
    const std::size_t used = legend.entries[at].columns + letter;
    if (!is_last) line += std::string(legend.widest + k_between_entries - used, ' ');
  }
  return lines;
}

// The curves within their axes, without title and legend.
class Plot {
 public:
  Plot(const ChartInput& input, std::size_t width, std::size_t height);
  std::vector<std::string> lines(const Console& console) const;

 private:
  static constexpr std::size_t k_ending = 2;  // cells behind the curves, for their letters
  static constexpr std::size_t k_footing = 2;

  DotCanvas::Dot dot(const ChartPoint& point) const;
  void draw(const ChartCurve& curve, std::size_t number);
  void mark_restarts(const ChartCurve& curve, std::size_t number);
  void name_end(const ChartCurve& curve, std::size_t number);
  std::string footing(const Console& console) const;
  std::string x_labels(const Console& console) const;
  std::size_t column_of(const Tick& tick) const;

  struct Sign {
    std::string text;
    Colour colour = Colour::none;
  };

  std::size_t width_, rows_, margin_, columns_;
  Axis x_, y_;
  std::string x_name_;
  DotCanvas canvas_{0, 0};
  std::vector<std::vector<std::optional<Sign>>> signs_;  // by row and column
};

// Above the longest label of y stands its last digit; the name of x stands in the same margin.
Plot::Plot(const ChartInput& input, std::size_t width, std::size_t height)
    : width_(width), rows_(height - k_footing), margin_(0), columns_(0) {
  constexpr std::size_t k_rows_of_tick = 3;
  constexpr std::size_t k_columns_of_tick = 12;
  x_name_ = input.x_name();
  y_ = y_axis(input, std::max<std::size_t>(2, rows_ / k_rows_of_tick));
  margin_ = x_name_.size();
  for (const Tick& tick : y_.ticks) margin_ = std::max(margin_, tick.text.size());
  columns_ = width_ - margin_ - 1 - k_ending;
  x_ = x_axis(input, std::max<std::size_t>(2, columns_ / k_columns_of_tick));
  canvas_ = DotCanvas(columns_, rows_);
  signs_.assign(rows_, std::vector<std::optional<Sign>>(columns_ + k_ending));
  for (std::size_t at = 0; at < input.curves.size(); ++at) draw(input.curves[at], at);
  for (std::size_t at = 0; at < input.curves.size(); ++at) mark_restarts(input.curves[at], at);
  if (input.curves.size() < 2) return;
  for (std::size_t at = 0; at < input.curves.size(); ++at) name_end(input.curves[at], at);
}

DotCanvas::Dot Plot::dot(const ChartPoint& point) const {
  const auto scaled = [](double place, std::size_t dots) {
    return static_cast<int>(
        std::lround(std::clamp(place, 0.0, 1.0) * (static_cast<double>(dots) - 1)));
  };
  const int height = static_cast<int>(rows_) * 4 - 1;
  return {scaled(x_.place(point.x), columns_ * 2), height - scaled(y_.place(point.y), rows_ * 4)};
}

void Plot::draw(const ChartCurve& curve, std::size_t number) {
  for (std::size_t at = 0; at < curve.points.size(); ++at) {
    const DotCanvas::Dot here = dot(curve.points[at]);
    if (at > 0 && curve.points[at].joined) {
      canvas_.draw_line(dot(curve.points[at - 1]), here, number);
    } else {
      canvas_.draw(here, number);
    }
  }
}

void Plot::mark_restarts(const ChartCurve& curve, std::size_t number) {
  for (const double x : curve.restarts) {
    if (x < x_.low || x > x_.high) continue;
    const auto column = static_cast<std::size_t>(dot({x, y_.low}).x / 2);
    for (std::size_t row = 0; row < rows_; ++row) {
      if (canvas_.is_blank(column, row)) signs_[row][column] = Sign{"┊", colour_of(number)};
    }
  }
}

// Where two curves end together, their letters stand one above the other.
void Plot::name_end(const ChartCurve& curve, std::size_t number) {
  if (curve.points.empty()) return;
  const DotCanvas::Dot end = dot(curve.points.back());
  const auto column = static_cast<std::size_t>(end.x / 2) + 1;
  const int row = end.y / 4;
  const auto is_free = [&](int at) {
    if (at < 0 || at >= static_cast<int>(rows_)) return false;
    const auto& sign = signs_[static_cast<std::size_t>(at)][column];
    return !sign || sign->text == "┊";
  };
  for (int distance = 0; distance < static_cast<int>(rows_); ++distance) {
    for (const int at : {row - distance, row + distance}) {
      if (!is_free(at)) continue;
      signs_[static_cast<std::size_t>(at)][column] = Sign{letter_of(number), colour_of(number)};
      return;
    }
  }
}

std::size_t Plot::column_of(const Tick& tick) const {
  return margin_ + 1 + static_cast<std::size_t>(dot({tick.at, y_.low}).x / 2);
}

std::string Plot::footing(const Console& console) const {
  Row row(width_);
  row.put(margin_, "└", Colour::grey);
  for (std::size_t at = 0; at < columns_; ++at) row.put(margin_ + 1 + at, "─", Colour::grey);
  for (const Tick& tick : x_.ticks) row.put(column_of(tick), "┬", Colour::grey);
  return row.text(console);
}

std::string Plot::x_labels(const Console& console) const {
  constexpr std::size_t k_between = 2;
  Row row(width_);
  row.write(margin_ - x_name_.size(), x_name_, Colour::grey);
  std::size_t free = margin_ + 1;
  for (const Tick& tick : x_.ticks) {
    const std::size_t length = tick.text.size();
    const std::size_t middle = column_of(tick);
    std::size_t begin = middle < free + length / 2 ? middle : middle - length / 2;
    if (begin + length > width_ && length < width_) begin = width_ - length;
    const bool covers = begin <= middle && middle <= begin + length;
    if (begin < free || !covers) continue;
    row.write(begin, tick.text);
    free = begin + length + k_between;
  }
  return row.text(console);
}

std::vector<std::string> Plot::lines(const Console& console) const {
  std::vector<Row> rows(rows_, Row(width_));
  for (std::size_t at = 0; at < rows_; ++at) {
    Row& row = rows[at];
    row.put(margin_, "│", Colour::grey);
    for (std::size_t column = 0; column < columns_ + k_ending; ++column) {
      const auto& sign = signs_[at][column];
      if (sign) {
        row.put(margin_ + 1 + column, sign->text, sign->colour);
      } else if (column < columns_ && !canvas_.is_blank(column, at)) {
        row.put(margin_ + 1 + column, canvas_.cell(column, at),
                colour_of(canvas_.owner(column, at)));
      }
    }
  }
  std::optional<std::size_t> labelled;
  for (const Tick& tick : y_.ticks) {
    const auto at = static_cast<std::size_t>(dot({x_.low, tick.at}).y / 4);
    if (std::exchange(labelled, at) == at) continue;
    rows[at].write(margin_ - tick.text.size(), tick.text);
    rows[at].put(margin_, "┤", Colour::grey);
  }
  std::vector<std::string> all;
  for (const Row& row : rows) all.push_back(row.text(console));
  all.push_back(footing(console));
  all.push_back(x_labels(console));
  return all;
}

}  // namespace

void DotCanvas::draw(Dot dot, std::size_t owner) {
  // Unicode numbers the dots of a braille cell column by column, but for the lowest row.
  constexpr std::array<std::array<unsigned, 2>, 4> k_bits = {
      {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
  if (dot.x < 0 || dot.y < 0) return;
  const auto x = static_cast<std::size_t>(dot.x);
  const auto y = static_cast<std::size_t>(dot.y);
  if (x / 2 >= columns_ || y / 4 >= rows_) return;
  Cell& cell = cells_[y / 4 * columns_ + x / 2];
  cell.dots |= k_bits[y % 4][x % 2];
  cell.owner = owner;
}

void DotCanvas::draw_line(Dot from, Dot to, std::size_t owner) {
  const int steps = std::max({std::abs(to.x - from.x), std::abs(to.y - from.y), 1});
  for (int at = 0; at <= steps; ++at) {
    const double share = static_cast<double>(at) / steps;
    draw({static_cast<int>(std::lround(from.x + (to.x - from.x) * share)),
          static_cast<int>(std::lround(from.y + (to.y - from.y) * share))},
         owner);
  }
}

std::string DotCanvas::cell(std::size_t column, std::size_t row) const {
  const unsigned dots = at(column, row).dots;
  if (dots == 0) return " ";
  // U+2800 and the dots, in UTF-8.
  return {'\xE2', static_cast<char>(0xA0U | dots >> 6U), static_cast<char>(0x80U | (dots & 0x3FU))};
}

std::string chart_text(const ChartInput& all, Console::Size size, const Console& console) {
  if (all.empty()) return "no values to draw\n";
  if (size.width < k_least_width || size.height < k_least_height) {
    return cat("a chart needs ", k_least_width, " columns and ", k_least_height, " lines\n");
  }
  const auto width = static_cast<std::size_t>(size.width);
  const auto height = static_cast<std::size_t>(size.height);
  constexpr std::size_t k_share_of_legend = 3;
  const std::size_t most_lines = std::max<std::size_t>(2, height / k_share_of_legend);
  Legend legend = fitting_legend(all, width, most_lines);
  const std::size_t letter = letter_room(all);
  ChartInput input = all;
  // A curve that nothing names only hides the others.
  const std::size_t named = legend.in_a_line * (most_lines - 1);
  if (legend.lines() > most_lines) {
    legend.entries.resize(named);
    input.curves.resize(named);
  }
  std::vector<std::string> below = legend_lines(legend, letter, console);
  if (const std::size_t left = all.curves.size() - input.curves.size(); left > 0) {
    below.push_back(cat(left, " more curves are not drawn"));
  }
  std::string text;
  if (!input.title.empty()) {
    text +=
        console.painted(shortened(printable_line(input.title), size.width), Colour::bold) + '\n';
  }
  const Plot plot(input, width, height - below.size() - (input.title.empty() ? 0 : 1));
  for (const std::string& line : plot.lines(console)) text += line;
  for (const std::string& line : below) text += line + '\n';
  return text;
}

}  // namespace trainctl::view
