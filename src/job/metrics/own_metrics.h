// Finds in a line what the user's own patterns name, beside what the line says by itself.
#pragma once

#include <optional>
#include <string_view>

#include "job/metrics/metric_pattern.h"
#include "job/metrics/metric_reader.h"

namespace trainctl::job {

// Adds to `known`, which the line says by itself, what the patterns find in it: their first group,
// or the whole match, when that is a number. A name of a pattern gets its values from patterns
// only, and from the first one that finds one.
std::optional<Reading> with_own_metrics(std::string_view line, const MetricPatterns& own,
                                        std::optional<Reading> known);

}  // namespace trainctl::job
