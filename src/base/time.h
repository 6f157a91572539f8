// Points in time as Kubernetes writes them, and durations as users type them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::time_point<std::chrono::system_clock, Duration>;  // UTC

// RFC 3339 with any number of fraction digits (kept to ns), 'Z' or an offset.
std::optional<Time> parse_time(std::string_view text);

// "2026-11-21T09:31:58Z"; with_fraction adds 9 digits.
std::string format_time(Time time, bool with_fraction = false);

// "90s", "2h30m", "1.5h", "7d", "250ms"; a bare integer counts seconds, as kubectl's
// --request-timeout does. Negative, empty or unknown units: Code::usage.
Result<Duration> parse_duration(std::string_view text);

// For people, as kubectl prints ages: "45s", "3m20s", "5h12m", "2d3h", "12d". Negative counts as 0.
std::string format_age(Duration age);

}  // namespace trainctl
