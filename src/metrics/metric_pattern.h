// Metrics that the user finds by regular expressions of their own: --metric 'reward=R: ([0-9.]+)'.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/pattern.h"
#include "metrics/metric_reader.h"

namespace trainctl::job {

// The names that say how far the training is.
inline constexpr std::string_view k_step_name = "step";
inline constexpr std::string_view k_total_name = "total";
inline constexpr std::string_view k_epoch_name = "epoch";

struct MetricPattern {
  std::string name;  // of the metric, or one of the above
  Pattern pattern;

  // False for the names above.
  bool is_value() const;
};
using MetricPatterns = std::vector<MetricPattern>;

// Reads NAME=REGEX. Code::usage, without a hint, if a part is missing or the pattern is invalid.
Result<MetricPattern> parse_metric_pattern(std::string_view text);

// Adds to `known`, which the line says by itself, what the patterns find in it: their first group,
// or the whole match, when that is a number. A name of a pattern gets its values from patterns
// only, and from the first one that finds one.
std::optional<Reading> with_own_metrics(std::string_view line, const MetricPatterns& own,
                                        std::optional<Reading> known);

}  // namespace trainctl::job
