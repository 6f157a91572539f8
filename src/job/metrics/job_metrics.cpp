// Counts steps over epochs and restarts, and keeps the values of one replica.
#include "job/metrics/job_metrics.h"

#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "job/metrics/metric_pattern.h"

namespace trainctl::job {
namespace {

using std::chrono::seconds;

constexpr Duration k_between_paces = seconds(1);
constexpr std::size_t k_most_paces = 60;

}  // namespace

JobMetrics::JobMetrics(MetricPatterns own) : own_(std::move(own)) {
  const auto value = std::ranges::find_if(own_, &MetricPattern::is_value);
  if (value != own_.end()) record_.chosen = value->name;
}

// A loop inside the run has a bar of its own, for instance an evaluation.
bool JobMetrics::is_of_another_loop(const Reading& reading, const Replica& replica) const {
  const TrainingPosition& position = record_.position;
  const bool is_under_way = position.total && position.step && *position.step < *position.total;
  return reading.from_bar && reading.values.empty() && !reading.per_epoch && replica.has_steps &&
         !position.per_epoch && is_under_way && reading.total && *reading.total != *position.total;
}

double JobMetrics::place(const Reading& reading, Replica& replica) const {
  if (!reading.step) {
    const bool is_length = reading.values.empty() && !reading.epoch;
    if (replica.has_steps || is_length) return replica.step;
    return reading.epoch ? *reading.epoch : replica.step + 1;
  }
  replica.has_steps = true;
  if (!reading.per_epoch || !reading.total) return *reading.step;
  if (*reading.step < replica.step_of_epoch) ++replica.epochs_counted;
  replica.step_of_epoch = *reading.step;
  double epochs_done = replica.epochs_counted;
  if (reading.epoch) epochs_done = reading.epochs ? *reading.epoch - 1 : *reading.epoch;
  return epochs_done * *reading.total + *reading.step;
}

// Several ranks print the same values: those of rank 0 count, else those of the first that prints
// some. A replica that only tells its position, as a bar does, is no source once another has
// values.
bool JobMetrics::counts(const PrintedLine& line, const Reading& reading) {
  if (source_ == line.replica) return true;
  const bool is_rank_0 = line.rank == 0;
  const bool has_values = !reading.values.empty();
  const bool is_better = has_values ? record_.series.empty() || (is_rank_0 && !is_of_rank_0_)
                                    : record_.series.empty() && is_rank_0 && !is_of_rank_0_;
  if (source_ && !is_better) return false;
  std::string chosen = std::move(record_.chosen);
  record_ = {};
  record_.chosen = std::move(chosen);
  pace_.clear();
  source_ = line.replica;
  is_of_rank_0_ = is_rank_0;
  return true;
}

void JobMetrics::move(const Reading& reading, const Replica& replica, const PrintedLine& line) {
  TrainingPosition& position = record_.position;
  if (reading.step) {
    position.step = reading.step;
    position.per_epoch = reading.per_epoch;
  }
  if (reading.total) position.total = reading.total;
  if (reading.epoch) position.epoch = reading.epoch;
  if (reading.epochs) position.epochs = reading.epochs;
  if (!replica.has_steps) return;
  const bool went_back =
      !pace_.empty() && (replica.step < pace_.back().second || line.printed < pace_.back().first);
  if (went_back) pace_.clear();
  const bool is_soon =
      pace_.size() > 1 && line.printed - pace_[pace_.size() - 2].first < k_between_paces;
  if (is_soon) pace_.pop_back();
  pace_.emplace_back(line.printed, replica.step);
  if (pace_.size() > k_most_paces) pace_.pop_front();
}

std::string JobMetrics::add_values(const Reading& reading, double step, Time printed) {
  std::string news;
  for (const Metric& one : reading.values) {
    MetricSeries* series = record_.find(one.name);
    if (series == nullptr && record_.series.size() == MetricRecord::k_most_series) {
      if (!std::exchange(told_of_names_, true)) {
        news = cat("the job prints more than ", MetricRecord::k_most_series,
                   " metrics; only the first are kept");
      }
      continue;
    }
    if (series == nullptr) series = &record_.series.emplace_back(one.name);
    if (std::isfinite(one.value)) {
      series->add({step, printed, one.value});
    } else if (!series->not_finite_since) {
      series->not_finite_since = step;
      if (!told_not_finite_.insert(one.name).second) continue;
      news = cat(one.name, std::isnan(one.value) ? " is NaN" : " is infinite", " since step ",
                 step_text(step));
    }
  }
  return news;
}

JobMetrics::Taken JobMetrics::take(const PrintedLine& line) {
  Replica& replica = replicas_[line.replica];
  const auto reading = with_own_metrics(line.text, own_, replica.reader.read(line.text));
  if (!reading || is_of_another_loop(*reading, replica)) return {};
  const bool is_new_attempt = std::exchange(replica.attempt, line.attempt) < line.attempt;
  if (is_new_attempt) replica.step_of_epoch = replica.epochs_counted = 0;
  const double before = replica.step;
  replica.step = place(*reading, replica);
  if (replica.step > before) replica.between_lines = replica.step - before;
  if (!counts(line, *reading)) return {true, ""};
  if (is_new_attempt && !record_.empty()) record_.restarts.push_back(replica.step);
  move(*reading, replica, line);
  return {true, add_values(*reading, replica.step, line.printed)};
}

std::optional<double> JobMetrics::rate() const {
  if (pace_.size() < 2) return std::nullopt;
  const std::chrono::duration<double> time = pace_.back().first - pace_.front().first;
  const double steps = pace_.back().second - pace_.front().second;
  return time.count() > 0 && steps > 0 ? std::optional(steps / time.count()) : std::nullopt;
}

std::optional<Duration> JobMetrics::left() const {
  constexpr double k_longest = 1e8;  // three years
  const TrainingPosition& position = record_.position;
  const auto steps_a_second = rate();
  if (!steps_a_second || !position.done() || !position.total) return std::nullopt;
  const double whole = *position.total * (position.per_epoch ? position.epochs.value_or(1) : 1);
  const double wait = (1 - *position.done()) * whole / *steps_a_second;
  if (wait > k_longest) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wait));
}

std::optional<Lag> JobMetrics::lag() const {
  double furthest = 0;
  for (const auto& [id, replica] : replicas_) furthest = std::max(furthest, replica.step);
  std::optional<Lag> last;
  for (const auto& [id, replica] : replicas_) {
    const double behind = furthest - replica.step;
    const bool lags = replica.has_steps && behind > 2 * replica.between_lines;
    if (lags && (!last || behind > last->steps)) last = Lag{id, behind};
  }
  return last;
}

}  // namespace trainctl::job
