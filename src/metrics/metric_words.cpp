// Names come from programs, so that each is made printable.
#include "metrics/metric_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "base/text/text.h"
#include "base/text/time.h"
#include "metrics/metric_json.h"

namespace trainctl::job {
namespace {

// Those that say something.
std::string joined(std::vector<std::string> parts, std::string_view separator) {
  std::erase(parts, "");
  return join(parts, separator);
}

}  // namespace

std::string not_finite_words(const MetricSeries& series, StepUnit unit) {
  return cat(printable_line(series.name()), " is ", series.not_finite, " since ", unit_name(unit),
             ' ', step_text(series.not_finite_since.value_or(0)));
}

std::string not_finite_words(const MetricRecord& record) {
  const MetricSeries* const series = record.not_finite();
  return series == nullptr ? "" : not_finite_words(*series, record.unit);
}

std::string lag_words(const std::optional<MetricLag>& lag) {
  if (!lag) return "";
  return cat(printable_line(lag->replica), " lags ", plural(static_cast<long>(lag->steps), "step"));
}

std::string trouble_words(const MetricRecord& record) {
  return joined({not_finite_words(record), lag_words(record.lag),
                 record.silence ? "no new line for " + format_age(*record.silence) : ""},
                "; ");
}

std::string metric_words(const Json& json, StepUnit unit) {
  const std::string before_step = unit == StepUnit::step ? "" : cat(unit_name(unit), ' ');
  const auto text = [&json](std::string_view pointer, std::string (*spell)(double)) {
    const Json* const number = trainctl::find(json, pointer);
    return number != nullptr && number->is_number() ? spell(number->get<double>()) : "";
  };
  const std::string since = text("/notFiniteSince", step_text);
  std::string words =
      cat(printable_line(text_at(json, "/name")), ' ',
          since.empty() ? text("/last/value", metric_text)
                        : cat(printable_line(text_at(json, "/notFinite", "not finite")), " since ",
                              before_step, since));
  if (const std::string best = text("/best/value", metric_text); !best.empty()) {
    words += cat(" (best ", best, " at ", before_step, text("/best/step", step_text), ')');
  }
  return words;
}

std::string progress_cell(const Json& metrics) {
  const MetricRecord record = read_metrics(metrics);
  return joined({position_text(record.position), lag_words(record.lag),
                 record.silence ? "silent " + format_age(*record.silence) : ""},
                ", ");
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

std::string metric_text(double value) {
  // Seven digits are easier to read than an exponent: "loss scale 262144".
  constexpr double k_begins_whole = 9999.5, k_ends_whole = 1e7;
  const double size = std::fabs(value);
  const bool is_whole = size >= k_begins_whole && size < k_ends_whole;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), is_whole ? "%.0f" : "%.4g", value);
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
