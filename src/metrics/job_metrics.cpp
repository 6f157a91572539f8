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

// A few lines of a program may name a step, as those of an evaluation, and most of them only an
// epoch, or the other way round. The run is counted in what goes on from one line to the next; a
// bar of its steps is enough.
void JobMetrics::settle_unit(const Reading& reading, Replica& replica) {
  if (replica.unit == StepUnit::step || reading.counts_samples) return;
  if (reading.step && reading.from_bar) {
    if (!replica.unit || !reading.values.empty()) replica.unit = StepUnit::step;
  } else if (reading.step) {
    const bool follows = replica.unit ? !replica.epoch_alone : replica.has_steps;
    const bool is_again = replica.lines.epoch && *reading.step == replica.lines.step;
    if (follows && *reading.step != replica.lines.step) replica.unit = StepUnit::step;
    // One line of each epoch: "Epoch 1 step 10", "Epoch 2 step 10".
    if (is_again && !reading.total && reading.epoch > replica.lines.epoch) {
      replica.unit = StepUnit::epoch;
    }
    replica.epoch_alone.reset();
  } else if (reading.epoch) {
    if (replica.epoch_alone && reading.epoch > replica.epoch_alone) replica.unit = StepUnit::epoch;
    replica.epoch_alone = reading.epoch;
  }
}

// Finds out whether the steps of bars, or of lines, begin anew with each epoch, and counts epochs.
void JobMetrics::count(Reading& reading, Replica& replica) {
  Counter& counter = reading.from_bar ? replica.bars : replica.lines;
  const bool is_beside = !reading.from_bar && replica.bars.per_epoch;
  std::optional<double> epoch = reading.epoch;
  if (!epoch && is_beside) epoch = replica.bars.epoch.value_or(replica.bars.epochs_done);
  const bool is_next = *reading.step < counter.step;
  if (is_next && counter.total == reading.total && reading.from_bar) counter.begins_anew = true;
  if (!reading.from_bar && counter.epoch && epoch > counter.epoch) {
    const bool is_at_end_again = reading.total == reading.step && *reading.step == counter.step;
    if (is_next || is_at_end_again) counter.begins_anew = true;
    // A counter of the run beside an epoch: "Epoch [2/3] Iter 1001/3000".
    if (*reading.step > counter.step && !counter.begins_anew) counter.begins_anew = false;
  }
  if (is_next) ++counter.epochs_counted;
  counter.longest_epoch = std::max(counter.longest_epoch, counter.step);
  counter.step = *reading.step;
  counter.epoch = epoch;
  counter.total = reading.total;
  counter.per_epoch = reading.per_epoch = counter.begins_anew.value_or(reading.per_epoch);
  counter.epochs_done = counter.epochs_counted;
  if (!reading.epoch || !reading.total) return;
  // A log that is read from its middle has no first epoch; trainers that print no number of
  // epochs mostly count from 0 then.
  replica.least_epoch = std::min(replica.least_epoch.value_or(*reading.epoch), *reading.epoch);
  if (!reading.per_epoch) return;
  const bool is_counted_from_1 =
      replica.least_epoch > 0 &&
      (reading.epochs || reading.counts_samples || replica.least_epoch == 1);
  counter.epochs_done = is_counted_from_1 ? *reading.epoch - 1 : *reading.epoch;
}

// "epoch 5 step 100" beside a bar "Epoch 5/5: 20/20" counts on through the run, "epoch 5 step 20"
// does not. The position is the bar's, or what the line says of it.
double JobMetrics::place_beside_bar(Reading& reading, const Replica& replica) {
  const Counter& bar = replica.bars;
  const double length = *bar.total;
  const bool is_numbered = reading.epoch && bar.epoch && is_count(*reading.epoch);
  const double done =
      is_numbered ? *reading.epoch - (*bar.epoch - bar.epochs_done) : bar.epochs_done;
  const bool is_of_epoch =
      *reading.step <= length && (reading.total || replica.lines.begins_anew.value_or(done > 0));
  const double step = is_of_epoch ? done * length + *reading.step : *reading.step;
  const double of_epoch = step - done * length;
  reading.per_epoch = true;
  reading.total = bar.total;
  reading.step = of_epoch;
  // Otherwise the line counts something else, or the bar is printed late.
  if (of_epoch < 0 || of_epoch > length)
    reading.step = reading.total = reading.epoch = std::nullopt;
  return step;
}

// Samples and lines without steps are counted in epochs.
double JobMetrics::place(Reading& reading, Replica& replica) {
  if (reading.counts_lines) {
    replica.has_position = false;
    replica.unit.reset();
    replica.epoch_alone.reset();
  }
  const bool had_position =
      std::exchange(replica.has_position, replica.has_position || reading.step || reading.epoch);
  settle_unit(reading, replica);
  if (replica.unit == StepUnit::epoch) replica.has_steps = false;
  if (reading.step && replica.unit == StepUnit::epoch && !reading.counts_samples) {
    if (reading.from_bar) return replica.step;
    replica.lines.step = *reading.step;
    reading.step = reading.total = reading.run_step = std::nullopt;
    return reading.epoch.value_or(replica.step);
  }
  if (!reading.step) {
    const bool is_beside = replica.has_steps || reading.values.empty() || had_position;
    if (is_beside && (replica.has_steps || !reading.epoch)) return replica.step;
    return reading.epoch ? *reading.epoch : replica.step + 1;
  }
  count(reading, replica);
  replica.has_steps = !reading.counts_samples;
  if (reading.run_step) return *reading.run_step;
  const bool is_beside_bar = !reading.from_bar && replica.bars.per_epoch && replica.bars.total &&
                             (!reading.total || reading.total == replica.bars.total);
  if (is_beside_bar) return place_beside_bar(reading, replica);
  if (!reading.per_epoch) {
    const double step = *reading.step;
    // The position is that of a bar over the epochs: "3/5" beside "step 60".
    const bool is_bar_under_way = replica.bars.total > replica.bars.step;
    const bool is_beyond = !reading.from_bar && !reading.total && replica.bars.total < step;
    if (is_bar_under_way && is_beyond) reading.step.reset();
    return step;
  }
  const Counter& counter = reading.from_bar ? replica.bars : replica.lines;
  const double length = reading.total.value_or(counter.longest_epoch);
  if (reading.counts_samples) return counter.epochs_done + *reading.step / length;
  return counter.epochs_done * length + *reading.step;
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

// All points until now are at one step, the first that a line named.
void JobMetrics::turn_to_epochs(double epoch) {
  for (MetricSeries& series : record_.series) series.put_at(epoch);
  std::ranges::fill(record_.restarts, epoch);
  record_.position = {};
  pace_.clear();
  bar_rate_.reset();
}

void JobMetrics::move(const Reading& reading, const Replica& replica, const PrintedLine& line) {
  TrainingPosition& position = record_.position;
  if (reading.step) {
    position.step = reading.step;
    position.per_epoch = reading.per_epoch;
  }
  // The total of another loop is none of these steps.
  if (reading.step && !reading.total && position.total < reading.step) position.total.reset();
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
  if (is_new_attempt) {
    for (Counter* const one : {&replica.bars, &replica.lines}) one->step = one->epochs_counted = 0;
  }
  if (reading->from_bar && !reading->values.empty()) replica.total_of_values = reading->total;
  const double before = replica.step;
  const bool had_steps = replica.has_steps;
  const auto epoch_before = replica.epoch_alone ? replica.epoch_alone : replica.lines.epoch;
  replica.step = place(*reading, replica);
  const bool turns_to_epochs = had_steps && replica.unit == StepUnit::epoch && epoch_before;
  if (replica.step > before) replica.between_lines = replica.step - before;
  if (!counts(line, *reading)) return {true, ""};
  if (turns_to_epochs) turn_to_epochs(*epoch_before);
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
    const auto is_unnumbered = [](const Counter& one) {
      return one.epochs_counted > 0 && !one.epoch;
    };
    return is_unnumbered(entry.second.bars) || is_unnumbered(entry.second.lines);
  });
  constexpr double k_apart = 1;  // second
  return is_comparable ? lag_beyond(rate(now).value_or(0) * k_apart) : std::nullopt;
}

}  // namespace trainctl::job
