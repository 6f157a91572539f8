// Values beyond 1e300 count as 1e300, so that the difference of two is a number.
#include "metrics/chart_input.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "metrics/chart_axis.h"
#include "metrics/metric_words.h"

namespace trainctl::view {
namespace {

using job::MetricPoint;

double drawable(double value) {
  constexpr double k_largest = 1e300;
  return std::clamp(value, -k_largest, k_largest);
}

Time first_time(const job::MetricRecord& record, Time first) {
  for (const job::MetricSeries& series : record.series) {
    for (const MetricPoint& point : series.points()) first = std::min(first, point.time);
  }
  return first;
}

// The means of the latest values since the line was broken.
void smooth(std::vector<ChartPoint>& points, std::size_t count) {
  if (count < 2) return;
  std::vector<double> values;  // divided by the count of all, lest their sum is too large
  const auto share = static_cast<double>(count);
  for (ChartPoint& point : points) {
    if (!point.joined) values.clear();
    if (values.size() == count) values.erase(values.begin());
    values.push_back(point.y / share);
    double sum = 0;
    for (const double value : values) sum += value;
    point.y = sum * (share / static_cast<double>(values.size()));
  }
}

}  // namespace

std::string units_apart(const std::vector<CountedRun>& runs) {
  std::vector<std::string> parts;
  for (const job::StepUnit unit :
       {job::StepUnit::step, job::StepUnit::epoch, job::StepUnit::line}) {
    std::vector<std::string> names;
    for (const CountedRun& run : runs) {
      const std::string name = printable_line(run.name);
      const bool is_new = std::ranges::find(names, name) == names.end();
      if (run.unit == unit && is_new) names.push_back(name);
    }
    if (!names.empty()) parts.push_back(cat(job::unit_name(unit), "s of ", some_of(names)));
  }
  return parts.size() < 2 ? "" : join(parts, " and ");
}

std::vector<ChartPoint> corners_of(const std::vector<ChartCurve>& curves) {
  std::optional<ChartPoint> low, high;
  for (const ChartCurve& curve : curves) {
    for (const ChartPoint& point : curve.points) {
      if (!low) low = high = point;
      *low = {std::min(low->x, point.x), std::min(low->y, point.y)};
      *high = {std::max(high->x, point.x), std::max(high->y, point.y)};
    }
  }
  return low ? std::vector{*low, *high} : std::vector<ChartPoint>();
}

bool ChartInput::empty() const {
  return std::ranges::all_of(curves, [](const ChartCurve& curve) { return curve.points.empty(); });
}

std::string_view ChartInput::x_name() const {
  if (x == ChartX::time) return "time";
  return job::unit_name(curves.empty() ? job::StepUnit::step : curves.front().unit);
}

ChartCurve curve_of(std::string name, const job::MetricSeries& series,
                    const job::MetricRecord& record, const ChartOptions& options) {
  ChartCurve curve;
  curve.name = std::move(name);
  curve.unit = record.unit;
  const std::vector<MetricPoint>& points = series.points();
  curve.not_finite_since = series.not_finite_since;
  curve.not_finite = series.not_finite;
  if (points.empty()) return curve;
  const Time begin = first_time(record, points.front().time);
  const bool is_over_time = options.x == ChartX::time;
  for (std::size_t at = 0; at < points.size(); ++at) {
    const MetricPoint& point = points[at];
    const bool is_usable = std::isfinite(point.value) && std::isfinite(point.step);
    if (!is_usable || (options.log_y && point.value <= 0)) continue;
    const double seconds = std::chrono::duration<double>(point.time - begin).count();
    const double x = is_over_time ? seconds : drawable(point.step);
    const bool went_back = at > 0 && point.step < points[at - 1].step;
    if (went_back && is_over_time) curve.restarts.push_back(x);
    const bool is_joined = !curve.points.empty() && !went_back && x >= curve.points.back().x;
    curve.points.push_back({x, drawable(point.value), is_joined});
  }
  if (!is_over_time) curve.restarts = record.restarts;
  smooth(curve.points, options.smooth);
  curve.last = {points.back().step, points.back().value};
  if (const MetricPoint* const best = series.best()) curve.best = {best->step, best->value};
  return curve;
}

std::vector<std::string> legend_facts(const ChartCurve& curve) {
  std::vector<std::string> facts;
  if (curve.not_finite_since) {
    facts.push_back(cat(curve.not_finite, " since ", short_number(*curve.not_finite_since)));
  } else if (curve.last) {
    facts.push_back("last " + job::metric_text(curve.last->value));
  }
  if (curve.best) {
    facts.push_back(
        cat("best ", job::metric_text(curve.best->value), " @", short_number(curve.best->step)));
  }
  return facts;
}

}  // namespace trainctl::view
