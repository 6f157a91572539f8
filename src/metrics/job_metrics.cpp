// Counts steps over epochs and restarts, and keeps the values of one replica.
#include "metrics/job_metrics.h"

#include <algorithm>
#include <cmath>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "metrics/metric_pattern.h"
#include "metrics/metric_words.h"

namespace trainctl::job {
namespace {

using std::chrono::seconds;

constexpr Duration k_between_paces = seconds(1);
constexpr std::size_t k_most_paces = 60;
constexpr Duration k_rate_ages = seconds(10);
constexpr std::size_t k_most_states = 256;  // of a line

}  // namespace

JobMetrics::JobMetrics(MetricPatterns own) : own_(std::move(own)) {
  const auto value = std::ranges::find_if(own_, &MetricPattern::is_value);
  if (value != own_.end()) record_.chosen = value->name;
}

// A loop inside the run has a bar of its own, for instance an evaluation, and so may the loop over
// the epochs. The bar that shows values is the training's.
bool JobMetrics::is_of_another_loop(const Reading& reading, const Replica& replica) const {
  const TrainingPosition& position = record_.position;
  const bool is_under_way = position.total && position.step && *position.step < *position.total;
  if (!reading.from_bar || !reading.values.empty() || reading.per_epoch || !reading.total) {
    return false;
  }
  if (replica.total_of_values) return reading.total != replica.total_of_values;
  return replica.has_steps && !position.per_epoch && is_under_way &&
         *reading.total != *position.total;
}

// Samples and lines without steps are counted in epochs.
double JobMetrics::place(Reading& reading, Replica& replica) {
  const bool had_position =
      std::exchange(replica.has_position, replica.has_position || reading.step || reading.epoch);
  if (!reading.step) {
    const bool is_beside = replica.has_steps || reading.values.empty() || had_position;
    if (is_beside && (replica.has_steps || !reading.epoch)) return replica.step;
    return reading.epoch ? *reading.epoch : replica.step + 1;
  }
  const bool is_next = *reading.step < replica.step_of_epoch;
  const bool is_same_loop = replica.total == reading.total;
  if (is_next && is_same_loop && reading.from_bar) replica.begins_anew = true;
  if (!reading.from_bar && reading.total && replica.epoch && reading.epoch > replica.epoch) {
    if (is_next) replica.begins_anew = true;
    // A counter of the run beside an epoch: "Epoch [2/3] Iter 1001/3000".
    if (*reading.step > replica.step_of_epoch && !replica.begins_anew) replica.begins_anew = false;
  }
  if (is_next) ++replica.epochs_counted;
  replica.longest_epoch = std::max(replica.longest_epoch, replica.step_of_epoch);
  replica.step_of_epoch = *reading.step;
  replica.epoch = reading.epoch;
  replica.total = reading.total;
  reading.per_epoch = replica.begins_anew.value_or(reading.per_epoch);
  replica.has_steps = !reading.counts_samples;
  if (reading.run_step) return *reading.run_step;
  if (!reading.per_epoch) return *reading.step;
  const double length = reading.total.value_or(replica.longest_epoch);
  double epochs_done = replica.epochs_counted;
  if (reading.epoch && reading.total) {
    // A log that is read from its middle has no first epoch; trainers that print no number of
    // epochs mostly count from 0 then.
    replica.least_epoch = std::min(replica.least_epoch.value_or(*reading.epoch), *reading.epoch);
    const bool is_counted_from_1 =
        reading.epochs || reading.counts_samples || replica.least_epoch == 1;
    epochs_done = is_counted_from_1 ? *reading.epoch - 1 : *reading.epoch;
  }
  if (reading.counts_samples) return epochs_done + *reading.step / length;
  return epochs_done * length + *reading.step;
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
  bar_rate_.reset();
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
  if (!replica.has_steps) {
    record_.unit = position.epoch ? StepUnit::epoch : StepUnit::line;
    return;
  }
  record_.unit = StepUnit::step;
  // A bar that begins anew does not know its rate yet: "0/50 [00:00<?, ?it/s]".
  if (reading.step && (reading.rate || !reading.from_bar)) bar_rate_ = reading.rate;
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
  std::vector<std::string> fallen;  // not finite from here on
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
    const bool is_again = reading.from_bar && !series->points().empty() &&
                          series->points().back().step == step &&
                          series->points().back().value == one.value;
    if (is_again) continue;
    if (std::isfinite(one.value)) {
      series->add({step, printed, one.value});
    } else if (!series->not_finite_since) {
      series->not_finite_since = step;
      series->not_finite = std::isnan(one.value) ? "nan" : "inf";
      if (told_not_finite_.insert(one.name).second) fallen.push_back(one.name);
    }
  }
  if (fallen.empty()) return news;
  // When the loss goes, so do the norm of its gradients and more: the loss is what counts.
  const MetricSeries* const main = record_.main();
  const bool has_main = main != nullptr && std::ranges::count(fallen, main->name()) > 0;
  return not_finite_words(*record_.find(has_main ? main->name() : fallen.front()), record_.unit);
}

JobMetrics::Taken JobMetrics::take(const PrintedLine& line) {
  if (line.printed != Time{}) {
    last_line_ = std::max(last_line_.value_or(line.printed), line.printed);
  }
  Replica& replica = replicas_[line.replica];
  std::string_view text = line.text;
  if (line.is_under_way) {
    replica.state = text.substr(text.find_last_of('\r') + 1);
  } else if (const std::string seen = std::exchange(replica.state, ""); !seen.empty()) {
    // The states before were read while the line was under way.
    if (const auto at = text.rfind(seen); at != std::string_view::npos) {
      text.remove_prefix(at + seen.size());
    }
  }
  Taken taken;
  taken.is_network = !line.is_under_way && network_.take(line.replica, line.text);
  for_each_state(text, k_most_states, [&](std::string_view state) {
    PrintedLine one = line;
    one.text = state;
    Taken of_state = take_state(one, replica);
    taken.is_metric = taken.is_metric || of_state.is_metric;
    if (!of_state.news.empty()) taken.news = std::move(of_state.news);
  });
  return taken;
}

JobMetrics::Taken JobMetrics::take_state(const PrintedLine& line, Replica& replica) {
  auto reading = with_own_metrics(line.text, own_, replica.reader.read(line.text));
  if (!reading || is_of_another_loop(*reading, replica)) return {};
  const bool is_new_attempt = std::exchange(replica.attempt, line.attempt) < line.attempt;
  if (is_new_attempt) replica.step_of_epoch = replica.epochs_counted = 0;
  if (reading->from_bar && !reading->values.empty()) replica.total_of_values = reading->total;
  const double before = replica.step;
  replica.step = place(*reading, replica);
  if (replica.step > before) replica.between_lines = replica.step - before;
  if (!counts(line, *reading)) return {true, ""};
  if (is_new_attempt && !record_.empty()) record_.restarts.push_back(replica.step);
  move(*reading, replica, line);
  return {true, add_values(*reading, replica.step, line.printed)};
}

std::optional<double> JobMetrics::rate(Time now) const {
  if (pace_.empty()) return std::nullopt;
  const std::chrono::duration<double> time = pace_.back().first - pace_.front().first;
  const double steps = pace_.back().second - pace_.front().second;
  const auto gap = pace_.size() < 2 ? Duration{}
                                    : (pace_.back().first - pace_.front().first) /
                                          static_cast<long>(pace_.size() - 1);
  if (now - pace_.back().first > std::max<Duration>(k_rate_ages, 4 * gap)) return std::nullopt;
  if (bar_rate_) return bar_rate_;
  return time.count() > 0 && steps > 0 ? std::optional(steps / time.count()) : std::nullopt;
}

std::optional<Duration> JobMetrics::left(Time now) const {
  constexpr double k_longest = 1e8;  // three years
  const TrainingPosition& position = record_.position;
  const auto steps_a_second = rate(now);
  if (!steps_a_second || !position.done() || !position.total) return std::nullopt;
  const double whole = *position.total * (position.per_epoch ? position.epochs.value_or(1) : 1);
  const double wait = (1 - *position.done()) * whole / *steps_a_second;
  if (wait > k_longest) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wait));
}

std::optional<double> JobMetrics::step_of(const ReplicaId& id, int attempt) const {
  const auto found = replicas_.find(id);
  if (found == replicas_.end()) return std::nullopt;
  const Replica& replica = found->second;
  return replica.has_steps && replica.attempt == attempt ? std::optional(replica.step)
                                                         : std::nullopt;
}

std::optional<MetricLag> JobMetrics::lag_beyond(double steps) const {
  double furthest = 0;
  for (const auto& [id, replica] : replicas_) furthest = std::max(furthest, replica.step);
  std::optional<MetricLag> last;
  for (const auto& [id, replica] : replicas_) {
    const double behind = furthest - replica.step;
    const bool lags = replica.has_steps && behind > std::max(2 * replica.between_lines, steps);
    if (lags && (!last || behind > last->steps)) last = MetricLag{id.name(), behind};
  }
  return last;
}

std::optional<MetricLag> JobMetrics::lag_of_ends(Time now) const {
  // Epochs without numbers are counted from where each end begins.
  const bool is_comparable = std::ranges::none_of(replicas_, [](const auto& entry) {
    return entry.second.epochs_counted > 0 && !entry.second.epoch;
  });
  constexpr double k_apart = 1;  // second
  return is_comparable ? lag_beyond(rate(now).value_or(0) * k_apart) : std::nullopt;
}

}  // namespace trainctl::job
