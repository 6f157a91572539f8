// Numbers that are whole are written as integers.
#include "metrics/metric_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/text/text.h"
#include "metrics/metric_words.h"

namespace trainctl::job {
namespace {

Json number_json(double value) {
  if (is_count(value)) return static_cast<std::int64_t>(value);
  return value;
}

Json point_json(const MetricPoint& point) {
  return {{"step", number_json(point.step)}, {"value", number_json(point.value)}};
}

void put_number(Json& object, const char* key, const std::optional<double>& value) {
  if (value) object[key] = number_json(*value);
}

std::optional<double> number_at(const Json& object, const char* key) {
  const Json* const value = trainctl::find(object, cat('/', key));
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

// As few digits as people see elsewhere.
double rounded(double value) {
  return std::strtod(metric_text(value).c_str(), nullptr);
}

double seconds_of(Time time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

std::optional<MetricPoint> read_point(const Json& point) {
  constexpr double k_latest = 9e9;  // seconds that a Time can hold
  const bool is_point = point.is_array() && point.size() == 3 &&
                        std::ranges::all_of(point, [](const Json& n) { return n.is_number(); });
  if (!is_point || std::abs(point[1].get<double>()) > k_latest) return std::nullopt;
  const std::chrono::duration<double> since(point[1].get<double>());
  return MetricPoint{point[0].get<double>(), Time(std::chrono::duration_cast<Duration>(since)),
                     point[2].get<double>()};
}

// Null where all points are at one step.
Json curve_json(const MetricSeries& series) {
  constexpr std::size_t k_values = 40;
  const auto by_step = [](const auto& a, const auto& b) { return a.step < b.step; };
  std::vector<MetricPoint> points = series.points();
  std::ranges::stable_sort(points, by_step);
  if (points.size() < 2 || points.front().step == points.back().step) return Json();
  const double from = points.front().step;
  const double to = points.back().step;
  const std::size_t count = std::min(k_values, points.size());
  Json values = Json::array();
  auto next = points.begin();
  for (std::size_t at = 0; at < count; ++at) {
    const double step =
        from + (to - from) * static_cast<double>(at) / static_cast<double>(count - 1);
    while (std::next(next) != points.end() && std::next(next)->step <= step) ++next;
    values.push_back(number_json(next->value));
  }
  return {{"from", number_json(from)}, {"to", number_json(to)}, {"values", std::move(values)}};
}

std::optional<MetricLag> read_lag(const Json& metrics) {
  const Json& lag = object_at(metrics, "/lag");
  const auto steps = number_at(lag, "steps");
  constexpr double k_most = 1e15;
  if (!steps || !(*steps > 0 && *steps < k_most)) return std::nullopt;
  return MetricLag{text_at(lag, "/replica"), *steps};
}

// nullopt: it has no name.
std::optional<MetricSeries> read_series(const Json& one) {
  MetricSeries series(text_at(one, "/name"));
  if (series.name().empty()) return std::nullopt;
  for (const Json& point : array_at(one, "/points")) {
    if (const auto read = read_point(point)) series.add(*read);
  }
  series.not_finite_since = number_at(one, "notFiniteSince");
  series.not_finite = printable_line(text_at(one, "/notFinite", "not finite"));
  return series;
}

}  // namespace

Json series_json(const MetricSeries& one, bool with_points) {
  Json series = {{"name", one.name()}};
  if (!one.points().empty()) series["last"] = point_json(one.points().back());
  if (const MetricPoint* const best = one.best()) series["best"] = point_json(*best);
  if (const auto slope = one.slope()) series["slope"] = rounded(*slope);
  put_number(series, "notFiniteSince", one.not_finite_since);
  if (one.not_finite_since) series["notFinite"] = one.not_finite;
  if (!with_points) return series;
  Json points = Json::array();
  for (const MetricPoint& point : one.points()) {
    points.push_back({number_json(point.step), seconds_of(point.time), point.value});
  }
  series["points"] = std::move(points);
  return series;
}

Json metrics_json(const MetricRecord& record, bool with_points) {
  Json metrics = Json::object();
  put_number(metrics, "step", record.position.step);
  put_number(metrics, "total", record.position.total);
  put_number(metrics, "epoch", record.position.epoch);
  put_number(metrics, "epochs", record.position.epochs);
  if (record.unit != StepUnit::step) metrics["countedIn"] = unit_name(record.unit);
  if (record.lag) {
    metrics["lag"] = {{"replica", record.lag->replica}, {"steps", number_json(record.lag->steps)}};
  }
  if (record.silence)
    metrics["silentSeconds"] =
        std::chrono::duration_cast<std::chrono::seconds>(*record.silence).count();
  if (!record.network.empty()) metrics["network"] = record.network;
  if (const MetricSeries* const bad = record.not_finite()) metrics["notFinite"] = bad->name();
  for (const double step : record.restarts) metrics["restarts"].push_back(number_json(step));
  const MetricSeries* const main = record.main();
  if (main == nullptr) return metrics;
  if (Json curve = curve_json(*main); !curve.is_null()) metrics["curve"] = std::move(curve);
  metrics["series"].push_back(series_json(*main, with_points));
  for (const MetricSeries& one : record.series) {
    if (&one != main) metrics["series"].push_back(series_json(one, with_points));
  }
  return metrics;
}

StepUnit step_unit(const Json& metrics) {
  const std::string name = text_at(metrics, "/countedIn");
  for (const StepUnit unit : {StepUnit::epoch, StepUnit::line}) {
    if (name == unit_name(unit)) return unit;
  }
  return StepUnit::step;
}

MetricRecord read_metrics(const Json& metrics) {
  MetricRecord record;
  record.position = {number_at(metrics, "step"), number_at(metrics, "total"),
                     number_at(metrics, "epoch"), number_at(metrics, "epochs"),
                     number_at(metrics, "epochs").has_value()};
  record.unit = step_unit(metrics);
  record.lag = read_lag(metrics);
  if (const auto silent = int_at(metrics, "/silentSeconds")) {
    record.silence = std::chrono::seconds(*silent);
  }
  record.network = text_at(metrics, "/network");
  for (const Json& step : array_at(metrics, "/restarts")) {
    if (step.is_number()) record.restarts.push_back(step.get<double>());
  }
  for (const Json& one : array_at(metrics, "/series")) {
    if (record.series.size() == MetricRecord::k_most_series) break;
    if (auto series = read_series(one)) record.series.push_back(*std::move(series));
  }
  if (!record.series.empty()) record.chosen = record.series.front().name();
  return record;
}

}  // namespace trainctl::job
