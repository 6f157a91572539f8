// Thins out curves, chooses the metric that is shown first, and spells the JSON.
#include "metrics/metric_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/text/text.h"
#include "base/text/time.h"

namespace trainctl::job {
namespace {

// The lowest and the highest of each four neighbours stay.
std::vector<MetricPoint> thinned_out(const std::vector<MetricPoint>& points) {
  constexpr std::size_t k_group = 4;
  std::vector<MetricPoint> kept = {points.front()};
  for (std::size_t at = 1; at + 1 < points.size(); at += k_group) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(k_group, points.size() - 1 - at));
    auto [low, high] = std::minmax_element(
        begin, end, [](const auto& a, const auto& b) { return a.value < b.value; });
    if (high < low) std::swap(low, high);
    kept.push_back(*low);
    if (high != low) kept.push_back(*high);
  }
  kept.push_back(points.back());
  return kept;
}

bool has_word(std::string_view name, std::initializer_list<std::string_view> words) {
  const std::string small = lower(name);
  return std::ranges::any_of(
      words, [&small](std::string_view word) { return small.find(word) != std::string::npos; });
}

// The lower, the more a metric says about the training.
int distance_to_main(std::string_view name) {
  const auto known = known_metric(name);
  if (!known || *known == Better::neither) return 9;
  const bool is_evaluation = has_word(name, {"val", "eval", "test"});
  if (!has_word(name, {"loss"})) return is_evaluation ? 4 : 3;
  if (is_evaluation) return 2;
  constexpr std::array<std::string_view, 7> k_whole = {
      "loss", "lm loss", "total_loss", "train_loss", "train loss", "train/loss", "train/ce loss"};
  return std::ranges::find(k_whole, lower(name)) != k_whole.end() ? 0 : 1;
}

// A whole number that an integer holds exactly.
bool is_count(double value) {
  constexpr double k_exact = 9e15;
  return value == std::floor(value) && std::abs(value) < k_exact;
}

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

}  // namespace

void MetricSeries::add(const MetricPoint& point) {
  not_finite_since.reset();
  if (points_.size() >= k_most_points) points_ = thinned_out(points_);
  points_.push_back(point);
}

const MetricPoint* MetricSeries::best() const {
  const Better better = known_metric(name_).value_or(Better::neither);
  if (points_.empty() || better == Better::neither) return nullptr;
  const auto by_value = [](const auto& a, const auto& b) { return a.value < b.value; };
  const auto best = better == Better::lower ? std::ranges::min_element(points_, by_value)
                                            : std::ranges::max_element(points_, by_value);
  return &*best;
}

double MetricSeries::cost() const {
  const MetricPoint* const point = best();
  if (point == nullptr || not_finite_since) return std::numeric_limits<double>::infinity();
  return cost_of(name_, point->value);
}

std::optional<double> MetricSeries::slope() const {
  constexpr std::size_t k_fewest = 4;
  if (points_.size() < k_fewest) return std::nullopt;
  const auto begin = points_.begin() + static_cast<std::ptrdiff_t>(points_.size() / 2);
  const auto count = static_cast<double>(points_.end() - begin);
  double steps = 0;
  double values = 0;
  std::for_each(begin, points_.end(), [&](const MetricPoint& point) {
    steps += point.step / count;
    values += point.value / count;
  });
  double covariance = 0;
  double variance = 0;
  std::for_each(begin, points_.end(), [&](const MetricPoint& point) {
    covariance += (point.step - steps) * (point.value - values);
    variance += (point.step - steps) * (point.step - steps);
  });
  return variance > 0 ? std::optional(covariance / variance) : std::nullopt;
}

std::optional<double> TrainingPosition::done() const {
  const auto share = [](double part, double whole) { return std::clamp(part / whole, 0.0, 1.0); };
  const bool has_steps = step && total && *total > 0;
  if (!per_epoch && has_steps) return share(*step, *total);
  if (!epoch || !epochs || *epochs <= 0) return std::nullopt;
  // "Epoch 1/5" is the first: none is done yet.
  return share(*epoch - 1 + (has_steps ? *step / *total : 1), *epochs);
}

MetricSeries* MetricRecord::find(std::string_view name) {
  const auto found = std::ranges::find(series, name, &MetricSeries::name);
  return found == series.end() ? nullptr : &*found;
}

const MetricSeries* MetricRecord::find(std::string_view name) const {
  const auto found = std::ranges::find(series, name, &MetricSeries::name);
  return found == series.end() ? nullptr : &*found;
}

const MetricSeries* MetricRecord::main() const {
  if (const MetricSeries* const own = find(chosen); own != nullptr) return own;
  const auto by_distance = [](const MetricSeries& one) { return distance_to_main(one.name()); };
  const auto found = std::ranges::min_element(series, {}, by_distance);
  return found == series.end() ? nullptr : &*found;
}

const MetricSeries* MetricRecord::not_finite() const {
  const MetricSeries* const first = main();
  if (first != nullptr && first->not_finite_since) return first;
  const auto found = std::ranges::find_if(series, [](const MetricSeries& one) {
    return one.not_finite_since.has_value() && is_score(one.name());
  });
  return found == series.end() ? nullptr : &*found;
}

std::string_view unit_name(StepUnit unit) {
  switch (unit) {
    case StepUnit::epoch:
      return "epoch";
    case StepUnit::line:
      return "line";
    case StepUnit::step:
      break;
  }
  return "step";
}

std::string not_finite_words(const MetricSeries& series, StepUnit unit) {
  return cat(printable_line(series.name()), " is ", series.not_finite, " since ", unit_name(unit),
             ' ', step_text(series.not_finite_since.value_or(0)));
}

std::string not_finite_words(const MetricRecord& record) {
  const MetricSeries* const series = record.not_finite();
  return series == nullptr ? "" : not_finite_words(*series, record.unit);
}

std::string lag_words(const MetricRecord& record) {
  if (!record.lag) return "";
  return cat(printable_line(record.lag->replica), " lags ",
             plural(static_cast<long>(record.lag->steps), "step"));
}

std::string trouble_words(const MetricRecord& record) {
  std::string words = not_finite_words(record);
  if (const std::string lag = lag_words(record); !lag.empty()) {
    words += cat(words.empty() ? "" : "; ", lag);
  }
  if (record.silence) {
    words += cat(words.empty() ? "" : "; ", "no new line for ", format_age(*record.silence));
  }
  return words;
}

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

namespace {

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

std::string metric_words(const Json& json) {
  const auto text = [&json](std::string_view pointer, std::string (*spell)(double)) {
    const Json* const number = trainctl::find(json, pointer);
    return number != nullptr && number->is_number() ? spell(number->get<double>()) : "";
  };
  const std::string since = text("/notFiniteSince", step_text);
  std::string words =
      cat(printable_line(text_at(json, "/name")), ' ',
          since.empty()
              ? text("/last/value", metric_text)
              : cat(printable_line(text_at(json, "/notFinite", "not finite")), " since ", since));
  if (const std::string best = text("/best/value", metric_text); !best.empty()) {
    words += cat(" (best ", best, " at ", text("/best/step", step_text), ')');
  }
  return words;
}

std::string progress_cell(const Json& metrics) {
  const MetricRecord record = read_metrics(metrics);
  std::string cell = position_text(record.position);
  if (record.lag) cell += cat(cell.empty() ? "" : ", ", lag_words(record));
  if (record.silence) cell += cat(cell.empty() ? "" : ", ", "silent ", format_age(*record.silence));
  return cell;
}

std::string metric_cell(const Json& metrics) {
  const MetricRecord record = read_metrics(metrics);
  if (const MetricSeries* const bad = record.not_finite(); bad != nullptr) return value_words(*bad);
  const Json* const last = trainctl::find(metrics, "/series/0/last/value");
  if (last == nullptr || !last->is_number()) return "";
  return cat(printable_line(text_at(metrics, "/series/0/name")), ' ',
             metric_text(last->get<double>()));
}

std::string value_words(const MetricSeries& series) {
  const std::string name = printable_line(series.name());
  if (series.not_finite_since) {
    return cat(name, ' ', series.not_finite, " @", step_text(*series.not_finite_since));
  }
  const std::vector<MetricPoint>& points = series.points();
  return points.empty() ? "" : cat(name, ' ', metric_text(points.back().value));
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

MetricRecord read_metrics(const Json& metrics) {
  MetricRecord record;
  record.position = {number_at(metrics, "step"), number_at(metrics, "total"),
                     number_at(metrics, "epoch"), number_at(metrics, "epochs"),
                     number_at(metrics, "epochs").has_value()};
  const std::string unit = text_at(metrics, "/countedIn");
  for (const StepUnit one : {StepUnit::epoch, StepUnit::line}) {
    if (unit == unit_name(one)) record.unit = one;
  }
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

std::string metric_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string step_text(double step) {
  return is_count(step) ? cat(static_cast<std::int64_t>(step)) : metric_text(step);
}

std::string sparkline(const MetricSeries& series, std::size_t columns) {
  constexpr std::array<std::string_view, 8> k_heights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::vector<MetricPoint>& points = series.points();
  if (points.size() < 2 || columns == 0) return "";
  columns = std::min(columns, points.size());
  std::vector<double> means(columns);
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t begin = points.size() * column / columns;
    const std::size_t end = points.size() * (column + 1) / columns;
    for (std::size_t at = begin; at < end; ++at) {
      means[column] += points[at].value / static_cast<double>(end - begin);
    }
  }
  const auto [low, high] = std::ranges::minmax(means);
  const double range = high - low;
  std::string line;
  for (const double mean : means) {
    const double height = range > 0 ? (mean - low) / range * (k_heights.size() - 1) : 0;
    line += k_heights[static_cast<std::size_t>(std::lround(height))];
  }
  return line;
}

std::string position_text(const TrainingPosition& position) {
  const auto part = [](const std::optional<double>& value, const std::optional<double>& whole) {
    if (!value) return std::string();
    return step_text(*value) + (whole ? "/" + step_text(*whole) : "");
  };
  const std::string steps = part(position.step, position.total);
  const std::string epochs = part(position.epoch, position.epochs);
  if (epochs.empty() || (!position.per_epoch && !steps.empty())) {
    return position.total || steps.empty() ? steps : "step " + steps;
  }
  return "epoch " + epochs + (steps.empty() ? "" : " " + steps);
}

}  // namespace trainctl::job
