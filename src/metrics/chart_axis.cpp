// Ticks lie at multiples of 1, 2 or 5 times a power of ten; those of times at whole minutes, hours
// and days.
#include "metrics/chart_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "base/text/text.h"

namespace trainctl::view {
namespace {

struct Range {
  double low = 0, high = 0;
};

// Equal or nearly equal ends move apart.
Range with_extent(double low, double high) {
  constexpr double k_least = 1e-9;  // of the values' size; ticks have 15 digits
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low > size * k_least && high - low > std::numeric_limits<double>::min()) {
    return {low, high};
  }
  constexpr double k_share = 0.05;
  const double more = size > std::numeric_limits<double>::min() ? size * k_share : 1;
  return {low - more, high + more};
}

// The smallest round number that is not below `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  constexpr double k_slack = 1 + 1e-9;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor * k_slack >= least) return power * factor;
  }
  return power * 10;
}

std::string formatted(const char* format, int digits, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, digits, value);
  return text.data();
}

int digits_behind_point(double step) {
  constexpr double k_slack = 1e-9;
  return std::max(0, -static_cast<int>(std::floor(std::log10(step) + k_slack)));
}

struct Unit {
  double size;
  const char* letter;
};
constexpr std::array<Unit, 5> k_units = {Unit{1e12, "T"}, Unit{1e9, "G"}, Unit{1e6, "M"},
                                         Unit{1e3, "k"}, Unit{1, ""}};

// A multiple of `step`, as short as its neighbours allow. `largest`: of the axis.
std::string tick_text(double value, double step, double largest) {
  constexpr double k_plain = 1e4;
  constexpr double k_huge = 1e15;
  constexpr double k_tiny = 1e-4;
  constexpr int k_most_digits = 15;
  constexpr int k_most_behind_point = 2;
  if (value == 0) return "0";
  if (largest < k_huge && largest >= k_tiny) {
    const auto fits = [&](const Unit& one) {
      return one.size == 1 || (largest >= std::max(one.size, k_plain) &&
                               digits_behind_point(step / one.size) <= k_most_behind_point);
    };
    const Unit& unit = *std::ranges::find_if(k_units, fits);
    return formatted("%.*f", digits_behind_point(step / unit.size), value / unit.size) +
           unit.letter;
  }
  const double digits = std::floor(std::log10(largest)) - std::floor(std::log10(step)) + 1;
  return formatted("%.*g", static_cast<int>(std::clamp(digits, 1.0, double{k_most_digits})), value);
}

// Calls sink for each multiple of the step on the axis.
template <typename Sink>
void for_each_multiple(const Axis& axis, double step, const Sink& sink) {
  constexpr double k_slack = 1e-9;
  constexpr double k_most_multiples = 1000;
  const double first = std::ceil(axis.low / step - k_slack);
  const double last = std::floor(axis.high / step + k_slack);
  const auto count = static_cast<int>(std::clamp(last - first, -1.0, k_most_multiples)) + 1;
  for (int at = 0; at < count; ++at) sink((first + at) * step + 0.0);
}

void add_ticks(Axis& axis, double step) {
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  for_each_multiple(axis, step, [&](double at) {
    axis.ticks.push_back({at, tick_text(at, step, largest)});
  });
}

Axis axis_of_steps_at_least(double low, double high, std::size_t most, double least) {
  const Range range = with_extent(low, high);
  Axis axis{range.low, range.high, false, {}};
  const double span = range.high - range.low;
  if (most > 0) add_ticks(axis, round_step(std::max(least, span / static_cast<double>(most))));
  return axis;
}

void add_powers(Axis& axis, int stride, std::initializer_list<double> factors) {
  const auto first = static_cast<int>(std::floor(std::log10(axis.low)));
  const auto last = static_cast<int>(std::ceil(std::log10(axis.high)));
  for (int power = first; power <= last; ++power) {
    if (power % stride != 0) continue;
    for (const double factor : factors) {
      const double at = factor * std::pow(10.0, power);
      if (at >= axis.low && at <= axis.high) axis.ticks.push_back({at, formatted("%.*g", 5, at)});
    }
  }
}

// The two largest units: "1h30m", "90d" without hours.
std::string time_text(double seconds) {
  constexpr double k_longest = 1e12;
  if (seconds == 0) return "0";
  if (seconds < 1) return formatted("%.*g", 2, seconds) + "s";
  if (seconds > k_longest) return formatted("%.*g", 4, seconds) + "s";
  constexpr std::array<Unit, 4> k_times = {Unit{86400, "d"}, Unit{3600, "h"}, Unit{60, "m"},
                                           Unit{1, "s"}};
  auto rest = std::llround(seconds);
  std::string text;
  int parts = 0;
  for (const Unit& unit : k_times) {
    const auto size = static_cast<long long>(unit.size);
    if (parts > 0) ++parts;
    if (rest >= size && parts <= 2) {
      text += cat(rest / size, unit.letter);
      parts = std::max(parts, 1);
    }
    rest %= size;
  }
  return text;
}

Range range_of(const ChartInput& input, double ChartPoint::*coordinate) {
  Range range{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  const auto include = [&](const std::vector<ChartPoint>& points) {
    for (const ChartPoint& point : points) {
      range.low = std::min(range.low, point.*coordinate);
      range.high = std::max(range.high, point.*coordinate);
    }
  };
  for (const ChartCurve& curve : input.curves) include(curve.points);
  include(input.in_view);
  return range;
}

}  // namespace

double Axis::place(double value) const {
  if (!log) return (value - low) / (high - low);
  return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
}

Axis number_axis(double low, double high, std::size_t most) {
  return axis_of_steps_at_least(low, high, most, 0);
}

Axis step_axis(double low, double high, std::size_t most) {
  if (low == high) high = low + 1;
  const bool are_whole = low == std::floor(low) && high == std::floor(high);
  return axis_of_steps_at_least(low, high, most, are_whole ? 1 : 0);
}

Axis log_axis(double low, double high, std::size_t most) {
  constexpr double k_least = 1e-300;
  low = std::max(low, k_least);
  high = std::max(high, low);
  if (high / low < 1 + 1e-9) {
    low /= 2;
    high *= 2;
  }
  Axis axis{low, high, true, {}};
  if (most == 0) return axis;
  const double decades = std::log10(high) - std::log10(low);
  add_powers(axis, std::max(1, static_cast<int>(std::ceil(decades / static_cast<double>(most)))),
             {1.0});
  constexpr std::size_t k_fewest = 3;
  if (axis.ticks.size() >= k_fewest) return axis;
  Axis finer{low, high, true, {}};
  add_powers(finer, 1, {1.0, 2.0, 5.0});
  if (finer.ticks.size() >= k_fewest && finer.ticks.size() <= most) return finer;
  if (axis.ticks.size() == 2) return axis;
  finer.ticks = number_axis(low, high, most).ticks;
  return finer;
}

Axis time_axis(double low, double high, std::size_t most) {
  if (low == high) high = low + 1;
  constexpr double k_minute = 60;
  constexpr double k_hour = 60 * k_minute;
  constexpr double k_day = 24 * k_hour;
  constexpr std::array<double, 18> k_steps = {1,
                                              2,
                                              5,
                                              10,
                                              15,
                                              30,
                                              k_minute,
                                              2 * k_minute,
                                              5 * k_minute,
                                              10 * k_minute,
                                              15 * k_minute,
                                              30 * k_minute,
                                              k_hour,
                                              2 * k_hour,
                                              3 * k_hour,
                                              6 * k_hour,
                                              12 * k_hour,
                                              k_day};
  const Range range = with_extent(low, high);
  low = range.low;
  high = range.high;
  Axis axis{low, high, false, {}};
  if (most == 0) return axis;
  const double least = (high - low) / static_cast<double>(most);
  double step = k_day * round_step(std::max(1.0, least / k_day));
  if (least < 1) step = round_step(least);
  if (const auto found = std::ranges::lower_bound(k_steps, least);
      least >= 1 && found != k_steps.end()) {
    step = *found;
  }
  for_each_multiple(axis, step, [&](double at) { axis.ticks.push_back({at, time_text(at)}); });
  return axis;
}

Axis x_axis(const ChartInput& input, std::size_t most) {
  const Range range = range_of(input, &ChartPoint::x);
  return input.x == ChartX::time ? time_axis(range.low, range.high, most)
                                 : step_axis(range.low, range.high, most);
}

Axis y_axis(const ChartInput& input, std::size_t most) {
  constexpr double k_room = 0.04;  // of the extent, above and below
  const Range range = range_of(input, &ChartPoint::y);
  if (input.log_y) {
    const double factor = std::pow(range.high / range.low, k_room);
    return log_axis(range.low / factor, range.high * factor, most);
  }
  const auto [low, high] = with_extent(range.low, range.high);
  const double room = (high - low) * k_room;
  // No curve of losses should seem to have values below 0.
  const double lowest = range.low >= 0 ? std::max(0.0, low - room) : low - room;
  return number_axis(lowest, high + room, most);
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size < 1e6 && value == std::floor(value)) return formatted("%.*f", 0, value);
  for (const Unit& unit : k_units) {
    constexpr double k_huge = 1e15;
    if (size < 1e6 || size >= k_huge || size < unit.size) continue;
    return formatted("%.*g", 4, value / unit.size) + unit.letter;
  }
  return formatted("%.*g", 4, value);
}

}  // namespace trainctl::view
