// Kueue's messages about missing quota, in numbers. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/value/json.h"

namespace trainctl::job {

struct Shortage {
  bool passes = true;  // false: the job can never fit, however short the queue
  std::string words;   // "needs 800m cpu, and flavor spot has 600m free"
};

// Reads the message of a QuotaReserved condition; the requests in the Workload's status add the
// amounts. nullopt when the message speaks of something else.
std::optional<Shortage> read_shortage(const Json& workload, std::string_view message);

}  // namespace trainctl::job
