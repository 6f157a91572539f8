// The contents of a chart, in a terminal and as SVG alike: curves of metrics over steps or time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric_record.h"

namespace trainctl::view {

enum class ChartX { step, time /* seconds since the first value */ };

struct ChartPoint {
  double x = 0, y = 0;  // finite
  bool joined = true;   // false: no line leads here from the point before
};

struct ChartCurve {
  // A value as it was printed, never a mean.
  struct Value {
    double step = 0, value = 0;
  };

  std::string name;             // may be hostile: charts make it harmless
  std::string short_name = {};  // the same where space is short; "" = none
  std::vector<ChartPoint> points;
  std::optional<double> not_finite_since;  // a step
  std::string not_finite;                  // "nan"
  std::optional<Value> last, best;  // best: of metrics of which one value is better than another
  std::vector<double> restarts;     // x
  job::StepUnit unit = job::StepUnit::step;
};

struct ChartInput {
  std::string title = {};  // "" = none
  ChartX x = ChartX::step;
  bool log_y = false;  // all values must be positive
  std::vector<ChartCurve> curves = {};
  // The axes show these as well, so that charts beside each other have equal ones.
  std::vector<ChartPoint> in_view = {};

  // True when no curve has a point.
  bool empty() const;
  // "time", "epoch", …: what the axis of x counts, which is the unit of all curves.
  std::string_view x_name() const;
};

struct ChartOptions {
  ChartX x = ChartX::step;
  std::size_t smooth = 1;  // draw the mean of so many latest values; 0 and 1 = the values
  bool log_y = false;      // leaves out values that are not positive
};

// A run that is drawn, and what its steps count.
struct CountedRun {
  std::string name;
  job::StepUnit unit = job::StepUnit::step;
};
// "steps of a, b and epochs of c" where the runs count in different units: over their steps, a
// shared axis would show an epoch as long as a step. "" = all count the same.
std::string units_apart(const std::vector<CountedRun>& runs);

// The corners of the rectangle that contains these curves; empty when they have no point.
std::vector<ChartPoint> corners_of(const std::vector<ChartCurve>& curves);

// One metric of a run. Lines are broken where steps go back; so is the mean.
ChartCurve curve_of(std::string name, const job::MetricSeries& series,
                    const job::MetricRecord& record, const ChartOptions& options);

// "last 0.3557" or "nan since 1204", "best 0.3401 @1200": what a legend says beside the
// name, in its order.
std::vector<std::string> legend_facts(const ChartCurve& curve);

}  // namespace trainctl::view
