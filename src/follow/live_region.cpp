// Puts as many parts into a line as fit, the most important ones first.
#include "follow/live_region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/text/text.h"
#include "metrics/metric_json.h"
#include "metrics/metric_words.h"
#include "status/exit_words.h"
#include "status/pod_state.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_bar_columns = 20;
constexpr std::size_t k_curve_columns = 16;
constexpr std::size_t k_other_metrics = 3;

std::string running_replicas(const JobState& state) {
  const auto running = std::ranges::count_if(state.replicas, [](const ReplicaState& replica) {
    return replica.run.state == RunState::running;
  });
  return cat(running, '/', state.replicas.size(), " replicas");
}

struct LinePart {
  std::string text;
  Colour colour = Colour::none;
};

// The parts that fit into the width, each whole, in their order. The first is always there, cut if
// need be.
std::string fitting(const std::vector<LinePart>& parts, std::string_view between, int width,
                    const Console& console) {
  std::string line;
  int columns = 0;
  for (const LinePart& part : parts) {
    if (part.text.empty()) continue;
    const int needed = display_width(part.text) + (line.empty() ? 0 : display_width(between));
    if (line.empty()) {
      line = console.painted(shortened(part.text, width), part.colour);
    } else if (columns + needed <= width) {
      line.append(between).append(console.painted(part.text, part.colour));
    } else {
      continue;
    }
    columns += needed;
  }
  return line;
}

// With blanks to a column, so that what follows stands below its like.
std::string filled_up(std::string text, int columns) {
  text.append(static_cast<std::size_t>(std::max(0, columns - display_width(text))), ' ');
  return text;
}

std::string bar(double done) {
  const auto filled = static_cast<std::size_t>(std::lround(done * k_bar_columns));
  std::string text;
  for (std::size_t at = 0; at < k_bar_columns; ++at) text += at < filled ? "█" : "░";
  return text;
}

std::string rate_text(double steps_a_second) {
  if (steps_a_second >= 1) return metric_text(std::round(steps_a_second * 10) / 10) + " it/s";
  return metric_text(std::round(10 / steps_a_second) / 10) + " s/it";
}

std::string eta_text(const JobMetrics& metrics, Time now) {
  const auto left = metrics.left(now);
  return left && *left >= std::chrono::seconds(1) ? "ETA " + format_age(*left) : "";
}

LinePart main_value(const MetricSeries& series) {
  return {value_words(series), series.not_finite_since ? Colour::red : Colour::bold};
}

// The other values that say most, beside the main one.
std::vector<LinePart> other_values(const MetricRecord& record, const MetricSeries* main) {
  std::vector<LinePart> parts;
  for (const MetricSeries& series : record.series) {
    const bool is_known = known_metric(series.name()).has_value();
    if (&series == main || !is_known || parts.size() == k_other_metrics) continue;
    parts.push_back({value_words(series)});
  }
  return parts;
}

std::vector<LinePart> trouble(const LiveFacts& facts) {
  std::vector<LinePart> parts;
  if (!facts.stall.empty()) parts.push_back({std::string(facts.stall), Colour::yellow});
  for (const MetricSeries& series : facts.metrics.record().series) {
    if (!series.not_finite_since) continue;
    parts.push_back({not_finite_words(series, facts.metrics.record().unit), Colour::red});
  }
  if (facts.lag) parts.push_back({lag_words(facts.lag), Colour::yellow});
  for (const ReplicaState& replica : facts.state.replicas) {
    const int restarts = replica.restarts_of_program();
    if (restarts == 0) continue;
    const std::string times = restarts == 1 ? "once" : cat(restarts, " times");
    const auto& code = replica.run.exit_before;
    const auto next = restart_time(replica);
    parts.push_back(
        {cat(replica.id.name(), " restarted ", times, code ? cat(" (", exit_words(code), ")") : "",
             next && *next > facts.now ? cat(", again in ", format_age(*next - facts.now)) : ""),
         Colour::yellow});
  }
  return parts;
}

std::string best_text(const MetricSeries& series) {
  const MetricPoint* const best = series.best();
  return best == nullptr ? "" : cat("best ", metric_text(best->value), " @", step_text(best->step));
}

// Long values would push out how far the training is.
std::string values_beside_name(const LiveFacts& facts, int width) {
  constexpr int k_share = 4;
  const int most = width / k_share;
  const std::string values = shortened(printable_line(facts.array_values), most);
  return filled_up(values, std::min(facts.columns.values, most));
}

// Name, phase, and how far the training is.
std::vector<LinePart> head_parts(const LiveFacts& facts, int width) {
  const TrainingPosition& at = facts.metrics.record().position;
  std::string position = position_text(at);
  if (const auto done = at.done()) position = bar(*done) + ' ' + position;
  constexpr int k_phase_columns = 13;  // "Running 12m3s"
  const std::string phase = cat(phase_name(facts.state.phase), ' ',
                                format_age(facts.now - facts.state.since.value_or(facts.began)));
  return {{filled_up(std::string(facts.job_name), facts.columns.name), Colour::bold},
          {values_beside_name(facts, width)},
          {filled_up(phase, facts.columns.name > 0 ? k_phase_columns : 0)},
          {position, Colour::green}};
}

}  // namespace

std::string status_line(std::string_view job_name, const JobState& state, Time began, Time now) {
  std::string text = cat(job_name, ": ", phase_name(state.phase), " for ",
                         format_age(now - state.since.value_or(began)));
  if (!state.message.empty()) return cat(text, ": ", state.message);
  if (state.phase == Phase::running) text += ", " + running_replicas(state);
  return text;
}

std::string training_words(const JobMetrics& metrics, Time now, bool is_silent,
                           const std::optional<MetricLag>& lag) {
  const MetricRecord& record = metrics.record();
  std::vector<std::string> parts;
  const std::string position = position_text(record.position);
  if (!position.empty()) parts.push_back(position);
  if (const auto rate = metrics.rate(now); rate && !is_silent) parts.push_back(rate_text(*rate));
  if (const std::string eta = eta_text(metrics, now); !eta.empty() && !is_silent)
    parts.push_back(eta);
  const MetricSeries* const main = record.main();
  if (main != nullptr && !value_words(*main).empty()) {
    parts.push_back(metric_words(series_json(*main, false), record.unit));
  }
  if (!parts.empty() && lag) parts.push_back(lag_words(lag));
  return join(parts, ", ");
}

std::vector<std::string> live_lines(const LiveFacts& facts, int width, const Console& console) {
  const MetricRecord& record = facts.metrics.record();
  if (record.empty()) {
    const std::string line = status_line(facts.job_name, facts.state, facts.began, facts.now);
    return {console.painted(shortened(printable_line(line), width), Colour::grey)};
  }
  std::vector<LinePart> head = head_parts(facts, width);
  if (facts.silent == Duration{}) {
    if (const auto rate = facts.metrics.rate(facts.now)) head.push_back({rate_text(*rate)});
    head.push_back({eta_text(facts.metrics, facts.now)});
  }
  std::vector<std::string> lines = {fitting(head, "  ", width, console)};

  const MetricSeries* const main = record.main();
  if (main != nullptr && !value_words(*main).empty()) {
    std::vector<LinePart> values = {
        main_value(*main), {sparkline(*main, k_curve_columns), Colour::cyan}, {best_text(*main)}};
    for (LinePart& part : other_values(record, main)) values.push_back(std::move(part));
    lines.push_back(fitting(values, "  ", width, console));
  }
  if (!facts.gpus.empty()) lines.push_back(shortened(printable_line(facts.gpus), width));
  if (const auto parts = trouble(facts); !parts.empty()) {
    lines.push_back(fitting(parts, "   ", width, console));
  }
  return lines;
}

LiveJob live_job(const LiveFacts& facts, int width, const Console& console) {
  const MetricRecord& record = facts.metrics.record();
  const std::vector<LinePart> troubles = trouble(facts);
  const bool is_silent = facts.silent != Duration{};
  LiveJob job;
  job.done = record.position.done().value_or(0);
  job.urgency = !troubles.empty() || facts.state.phase == Phase::failed ? 2
                : facts.state.phase != Phase::running || is_silent      ? 1
                                                                        : 0;
  std::vector<LinePart> parts = head_parts(facts, width);
  if (is_silent && facts.stall.empty()) {
    parts.push_back({"silent for " + format_age(facts.silent), Colour::yellow});
  }
  if (record.empty() && !facts.state.message.empty()) {
    parts.push_back({printable_line(facts.state.message), Colour::yellow});
  }
  if (const MetricSeries* const main = record.main(); main != nullptr) {
    parts.push_back(main_value(*main));
    parts.push_back({best_text(*main)});
  }
  for (const LinePart& part : troubles) parts.push_back(part);
  if (!is_silent) parts.push_back({eta_text(facts.metrics, facts.now)});
  job.line = fitting(parts, "  ", width, console);
  if (facts.state.phase != Phase::failed) {
    job.best = best_of(std::string(facts.job_name), std::string(facts.array_values), record);
  }
  return job;
}

std::string summary_line(const JobsSummary& summary) {
  std::string line = std::to_string(summary.ended);
  if (summary.all > 0) line += cat(" of ", summary.all);
  line += " done";
  if (summary.failed > 0) line += cat(", ", summary.failed, " failed");
  const JobBest* const best = best_of(summary.bests);
  if (best == nullptr) return line;
  return cat(line, ", best ", printable_line(best->metric), ' ', metric_text(best->value), ": ",
             name_of(*best));
}

std::vector<std::string> jobs_lines(std::vector<LiveJob> jobs, std::size_t room) {
  // Rows that change places cannot be read.
  if (jobs.size() > room) {
    std::ranges::stable_sort(jobs, [](const LiveJob& a, const LiveJob& b) {
      return a.urgency != b.urgency ? a.urgency > b.urgency : a.done < b.done;
    });
  }
  std::vector<std::string> lines;
  for (LiveJob& job : jobs) {
    const bool is_last_line = lines.size() + 1 == room && lines.size() + 1 < jobs.size();
    if (is_last_line) lines.push_back(cat("and ", jobs.size() - lines.size(), " more jobs"));
    if (lines.size() >= room) break;
    lines.push_back(std::move(job.line));
  }
  return lines;
}

}  // namespace trainctl::job
