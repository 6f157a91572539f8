// Splits NAME=REGEX at the first equals sign, since names have none.
#include "job/metrics/metric_pattern.h"

#include <utility>

#include "base/text/text.h"

namespace trainctl::job {

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

}  // namespace trainctl::job
