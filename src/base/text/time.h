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

// Parses RFC 3339 with any number of fraction digits (kept to ns), 'Z' or an offset.
std::optional<Time> parse_time(std::string_view text);

// Prints "2026-11-21T09:31:58Z"; with_fraction adds 9 digits.
std::string format_time(Time time, bool with_fraction = false);

// Parses "90s", "2h30m", "1.5h", "7d", "250ms"; a bare integer counts seconds, as in kubectl's
// --request-timeout. Code::usage for a negative or empty duration and for unknown units.
Result<Duration> parse_duration(std::string_view text);

// Prints an age for people, as kubectl does: "45s", "3m20s", "5h12m", "2d3h", "12d". A negative age
// counts as 0.
std::string format_age(Duration age);

}  // namespace trainctl
