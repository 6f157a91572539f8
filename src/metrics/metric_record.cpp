// Thins out curves, and chooses the metric that is shown first.
#include "metrics/metric_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

// The lowest and the highest of each four neighbours stay.
std::vector<MetricPoint> thinned_out(const std::vector<MetricPoint>& points) {
  constexpr std::size_t k_group = 4;
  std::vector<MetricPoint> kept = {points.front()};
  for (std::size_t at = 1; at + 1 < points.size(); at += k_group) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(k_group, points.size() - 1 - at));
    const auto by_value = [](const auto& a, const auto& b) { return a.value < b.value; };
    auto low = std::min_element(begin, end, by_value);
    auto high = std::max_element(begin, end, by_value);  // the first one, as best() has it
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

}  // namespace

bool is_count(double value) {
  constexpr double k_exact = 9e15;
  return value == std::floor(value) && std::abs(value) < k_exact;
}

void MetricSeries::add(const MetricPoint& point) {
  not_finite_since.reset();
  if (points_.size() >= k_most_points) points_ = thinned_out(points_);
  points_.push_back(point);
}

void MetricSeries::put_at(double step) {
  for (MetricPoint& point : points_) point.step = step;
  if (not_finite_since) not_finite_since = step;
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

bool MetricRecord::has_points() const {
  return std::ranges::any_of(series, [](const MetricSeries& one) { return !one.points().empty(); });
}

MetricSeries* MetricRecord::find(std::string_view name) {
  const auto found = std::ranges::find(series, name, &MetricSeries::name);
  return found == series.end() ? nullptr : &*found;
}

const MetricSeries* MetricRecord::find(std::string_view name) const {
  const auto found = std::ranges::find(series, name, &MetricSeries::name);
  return found == series.end() ? nullptr : &*found;
}

std::vector<std::string> MetricRecord::names() const {
  std::vector<std::string> names;
  for (const MetricSeries& one : series) names.push_back(one.name());
  return names;
}

const MetricSeries* MetricRecord::find_spelled(std::string_view metric) const {
  return find(spelling_among(names(), metric));
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

}  // namespace trainctl::job
