// Curves are told apart by colour, and by dashes from the ninth on. The colours are those of Okabe
// and Ito, which colour-blind readers can tell apart, made darker or lighter for the background.
#include "metrics/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "metrics/chart_axis.h"

namespace trainctl::view {
namespace {

constexpr std::size_t k_colours = 8;

constexpr std::string_view k_style = R"(<style>
.trainctl-chart { font: 12px system-ui, sans-serif; fill: #222; color-scheme: light dark; }
.trainctl-chart .grid { stroke: #ddd; } .trainctl-chart .axis { stroke: #666; }
.trainctl-chart .title { font-weight: 600; } .trainctl-chart .quiet { fill: #666; }
.trainctl-chart .restart { stroke-dasharray: 2 4; opacity: .7; }
.trainctl-chart .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
.trainctl-chart .d1 { stroke-dasharray: 7 4; } .trainctl-chart .d2 { stroke-dasharray: 2 3; }
.trainctl-chart .c0 { stroke: #0072b2; } .trainctl-chart .c1 { stroke: #d55e00; }
.trainctl-chart .c2 { stroke: #009e73; } .trainctl-chart .c3 { stroke: #b3508f; }
.trainctl-chart .c4 { stroke: #b97f00; } .trainctl-chart .c5 { stroke: #3a9fd8; }
.trainctl-chart .c6 { stroke: #222; } .trainctl-chart .c7 { stroke: #8a8420; }
@media (prefers-color-scheme: dark) {
.trainctl-chart { fill: #ddd; }
.trainctl-chart .grid { stroke: #3a3a3a; } .trainctl-chart .axis { stroke: #999; }
.trainctl-chart .quiet { fill: #aaa; }
.trainctl-chart .c0 { stroke: #4ba3e3; } .trainctl-chart .c1 { stroke: #ff8a3d; }
.trainctl-chart .c2 { stroke: #2fc99a; } .trainctl-chart .c3 { stroke: #e08fc2; }
.trainctl-chart .c4 { stroke: #f0b429; } .trainctl-chart .c5 { stroke: #9cd5f5; }
.trainctl-chart .c6 { stroke: #eee; } .trainctl-chart .c7 { stroke: #e6dc50; }
}
</style>
)";

constexpr double k_column = 7;  // pixels that a character takes at most, nearly always
constexpr double k_line = 18;
constexpr double k_gap = 12;

std::string pixels(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string class_of(std::size_t curve) {
  const std::size_t dashes = curve / k_colours % 3;
  return cat('c', curve % k_colours, dashes > 0 ? cat(" d", dashes) : "");
}

// `anchor`: the part of the text that is at x: start, middle, end.
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text,
                     std::string_view classes = "") {
  return cat("<text x=\"", pixels(x), "\" y=\"", pixels(y), "\" text-anchor=\"", anchor, '"',
             classes.empty() ? "" : cat(" class=\"", classes, '"'), '>', xml_escaped(text),
             "</text>\n");
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view classes) {
  return cat("<line x1=\"", pixels(x1), "\" y1=\"", pixels(y1), "\" x2=\"", pixels(x2), "\" y2=\"",
             pixels(y2), "\" class=\"", classes, "\"/>\n");
}

int legend_columns(double width) {
  return std::max(1, static_cast<int>(width / k_column));
}

std::string legend_text(const ChartCurve& curve, int columns) {
  constexpr int k_fewest = 12;
  const std::string facts = join(legend_facts(curve), ", ");
  const int room = std::max(k_fewest, columns - display_width(facts) - 2);
  return cat(shortened(printable_line(curve.name), room), facts.empty() ? "" : ": ", facts);
}

// The rectangle in which curves are drawn.
struct SvgFrame {
  double left, top, right, bottom;
  Axis x, y;

  double at_x(double value) const { return left + x.place(value) * (right - left); }
  double at_y(double value) const { return bottom - y.place(value) * (bottom - top); }
};

SvgFrame frame_of(const ChartInput& input, SvgSize size) {
  constexpr double k_between_ticks = 48;
  constexpr double k_between_texts = 90;
  const double top = input.title.empty() ? k_gap : k_gap + k_line;
  const double bottom = size.height - 2 * k_line - 4;
  const auto most = [](double length, double distance) {
    return static_cast<std::size_t>(std::max(1.0, length / distance));
  };
  Axis y = y_axis(input, most(bottom - top, k_between_ticks));
  std::size_t widest = 1;
  for (const Tick& tick : y.ticks) widest = std::max(widest, tick.text.size());
  const double left = k_gap + static_cast<double>(widest) * k_column + 8;
  const double right = size.width - 2 * k_gap;
  Axis x = x_axis(input, most(right - left, k_between_texts));
  return {left, top, right, bottom, std::move(x), std::move(y)};
}

std::string axes(const SvgFrame& frame, const ChartInput& input) {
  std::string out;
  for (const Tick& tick : frame.y.ticks) {
    const double y = frame.at_y(tick.at);
    out += svg_line(frame.left, y, frame.right, y, "grid");
    out += svg_text(frame.left - 8, y + 4, "end", tick.text);
  }
  for (const Tick& tick : frame.x.ticks) {
    const double at = frame.at_x(tick.at);
    out += svg_line(at, frame.bottom, at, frame.bottom + 4, "axis");
    out += svg_text(at, frame.bottom + k_line, "middle", tick.text);
  }
  out += svg_line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  out += svg_line(frame.left, frame.top, frame.left, frame.bottom, "axis");
  const std::string_view label =
      input.x == ChartX::time ? "time since the first value" : input.x_name();
  out +=
      svg_text((frame.left + frame.right) / 2, frame.bottom + 2 * k_line, "middle", label, "quiet");
  return out;
}

std::string restarts_of(const SvgFrame& frame, const ChartCurve& curve, std::size_t number) {
  std::string out;
  for (const double x : curve.restarts) {
    if (x < frame.x.low || x > frame.x.high) continue;
    const double at = frame.at_x(x);
    out += svg_line(at, frame.top, at, frame.bottom, cat("restart ", class_of(number)));
  }
  return out;
}

std::string path_of(const SvgFrame& frame, const ChartCurve& curve, std::size_t number) {
  std::string path;
  for (std::size_t at = 0; at < curve.points.size(); ++at) {
    const ChartPoint& point = curve.points[at];
    const std::string place = cat(pixels(frame.at_x(point.x)), ' ', pixels(frame.at_y(point.y)));
    const bool is_joined = at > 0 && point.joined;
    path += cat(is_joined ? 'L' : 'M', place);
    const bool has_next = at + 1 < curve.points.size() && curve.points[at + 1].joined;
    if (!is_joined && !has_next) path += "h.01";  // a round end makes a dot of it
  }
  if (path.empty()) return "";
  return cat("<path class=\"curve ", class_of(number), "\" d=\"", path, "\"><title>",
             xml_escaped(legend_text(curve, 200)), "</title></path>\n");
}

std::string legend(const ChartInput& input, SvgSize size) {
  constexpr double k_sample = 24;
  std::string out;
  double y = size.height + k_line - 4;
  for (std::size_t number = 0; number < input.curves.size(); ++number, y += k_line) {
    out += svg_line(k_gap, y - 4, k_gap + k_sample, y - 4, cat("curve ", class_of(number)));
    const double left = k_gap + k_sample + 8;
    out += svg_text(left, y, "start",
                    legend_text(input.curves[number], legend_columns(size.width - left)));
  }
  return out;
}

}  // namespace

std::string svg_chart(const ChartInput& input, SvgSize size) {
  constexpr int k_least_width = 240;
  constexpr int k_least_height = 120;
  size = {std::max(size.width, k_least_width), std::max(size.height, k_least_height)};
  const double height = size.height + k_line * static_cast<double>(input.curves.size()) + k_gap;
  const std::string title = shortened(printable_line(input.title), legend_columns(size.width));
  std::string out = cat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"trainctl-chart\" ",
                        "role=\"img\" width=\"", size.width, "\" height=\"", pixels(height),
                        "\" viewBox=\"0 0 ", size.width, ' ', pixels(height), "\">\n<title>",
                        xml_escaped(title.empty() ? "metrics" : title), "</title>\n", k_style);
  if (!title.empty()) out += svg_text(k_gap, k_gap + 6, "start", title, "title");
  if (input.empty()) {
    out += svg_text(size.width / 2.0, size.height / 2.0, "middle", "no values to draw", "quiet");
    return out + "</svg>\n";
  }
  const SvgFrame frame = frame_of(input, size);
  out += axes(frame, input);
  for (std::size_t number = 0; number < input.curves.size(); ++number) {
    out += restarts_of(frame, input.curves[number], number);
    out += path_of(frame, input.curves[number], number);
  }
  return out + legend(input, size) + "</svg>\n";
}

std::string xml_escaped(std::string_view text) {
  const std::string line = printable_line(text);
  std::string out;
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view before = rest;
    const auto c = take_code_point(rest);
    const std::string_view character = before.substr(0, before.size() - rest.size());
    // XML has no place for these two, however they are written.
    if (!c || *c == 0xFFFE || *c == 0xFFFF) {
      out += '?';
    } else if (*c == '<') {
      out += "&lt;";
    } else if (*c == '>') {
      out += "&gt;";
    } else if (*c == '&') {
      out += "&amp;";
    } else if (*c == '"') {
      out += "&quot;";
    } else if (*c == '\'') {
      out += "&#39;";
    } else {
      out += character;
    }
  }
  return out;
}

}  // namespace trainctl::view
