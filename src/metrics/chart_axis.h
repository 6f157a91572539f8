// An axis of a chart: which round numbers stand at it, and where a value lies on it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "metrics/chart_input.h"

namespace trainctl::view {

struct Tick {
  double at = 0;
  std::string text;
};

// Both ends are finite and differ.
struct Axis {
  double low = 0, high = 1;
  bool log = false;  // both ends are positive
  std::vector<Tick> ticks;

  // 0 = the low end, 1 = the high end.
  double place(double value) const;
};

// Axes for values between `low` and `high`, with about `most` ticks, and one more at most. A range
// without extent gets one.
Axis number_axis(double low, double high, std::size_t most);
Axis step_axis(double low, double high, std::size_t most);  // no fractions for a few steps
Axis log_axis(double low, double high, std::size_t most);   // both are positive
Axis time_axis(double low, double high, std::size_t most);  // seconds: "1h30m"

// The axes of a chart that is not empty. That of y has some room above and below the curves.
Axis x_axis(const ChartInput& input, std::size_t most);
Axis y_axis(const ChartInput& input, std::size_t most);

// Six digits at most: "1200", "1.5M".
std::string short_number(double value);

}  // namespace trainctl::view
