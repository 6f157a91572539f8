// A name belongs to the user's patterns as soon as one has it, so that two sources never mix.
#include "metrics/metric_pattern.h"

#include <algorithm>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "metrics/line_fields.h"

namespace trainctl::job {
namespace {

// Removes what the line says by itself about a name.
void forget(const std::string& name, Reading& reading) {
  if (name == k_step_name) {
    reading.step.reset();
    reading.per_epoch = false;
  }
  if (name == k_step_name || name == k_total_name) reading.total.reset();
  if (name == k_epoch_name) {
    reading.epoch.reset();
    reading.epochs.reset();
  }
  std::erase_if(reading.values, [&name](const Metric& one) { return one.name == name; });
}

std::optional<double> number_found(const Pattern& pattern, std::string_view line) {
  const auto group = pattern.group(line);
  if (!group) return std::nullopt;
  std::string_view text = trim(*group);
  const auto number = take_number(text);
  return text.empty() ? number : std::nullopt;
}

void set_position(std::optional<double>& place, double value) {
  constexpr double k_largest = 1e15;
  if (!place && value >= 0 && value <= k_largest) place = value;
}

void set_value(const MetricPattern& one, double value, Reading& reading) {
  if (one.name == k_step_name) return set_position(reading.step, value);
  if (one.name == k_total_name) return set_position(reading.total, value);
  if (one.name == k_epoch_name) return set_position(reading.epoch, value);
  if (std::ranges::find(reading.values, one.name, &Metric::name) == reading.values.end()) {
    reading.values.push_back({one.name, value});
  }
}

}  // namespace

bool MetricPattern::is_value() const {
  return name != k_step_name && name != k_total_name && name != k_epoch_name;
}

Result<MetricPattern> parse_metric_pattern(std::string_view text) {
  const std::size_t sign = text.find('=');
  const std::string name(trim(text.substr(0, sign)));
  if (sign == std::string_view::npos || name.empty()) {
    return Error{Code::usage, cat("`", printable_line(text), "` is not NAME=REGEX"), ""};
  }
  if (printable_line(name) != name) {
    return Error{Code::usage, "the name of a metric has a character that cannot be printed", ""};
  }
  TRY_ASSIGN(Pattern pattern, Pattern::make(text.substr(sign + 1)));
  return MetricPattern{name, std::move(pattern)};
}

std::optional<Reading> with_own_metrics(std::string_view line, const MetricPatterns& own,
                                        std::optional<Reading> known) {
  if (own.empty() || line.size() > k_longest_metric_line) return known;
  Reading reading = std::move(known).value_or(Reading{});
  for (const MetricPattern& one : own) forget(one.name, reading);
  for (const MetricPattern& one : own) {
    if (const auto value = number_found(one.pattern, line)) set_value(one, *value, reading);
  }
  const bool is_empty = !reading.step && !reading.total && !reading.epoch && reading.values.empty();
  return is_empty ? std::nullopt : std::optional(std::move(reading));
}

}  // namespace trainctl::job
