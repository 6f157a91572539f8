// Metrics that the user finds by regular expressions of their own: --metric 'reward=R: ([0-9.]+)'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/pattern.h"

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

}  // namespace trainctl::job
