// Sums the GPU hours of past runs, in all and by user, name, kind or label. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "work/access.h"

namespace trainctl::work {

// The property by which runs are grouped.
struct GpuHoursKey {
  enum class By { nothing, user, name, kind, label };
  By by = By::nothing;
  std::string label;  // its key

  // "user", "label=team"; "" for nothing.
  std::string text() const;
};
// Parses the value of --by; Code::usage.
Result<GpuHoursKey> parse_gpu_hours_key(std::string_view text);

struct GpuHoursGroup {
  std::string name;  // "" = its runs do not say
  long runs = 0;
  double hours = 0;
};

struct GpuHours {
  std::vector<GpuHoursGroup> groups;  // the largest first
  GpuHoursGroup total;
  // Runs that are not counted.
  long without_duration = 0;  // nobody saw how they began or ended
  long without_gpus = 0;      // their manifest was not kept, or leaves the number to a runtime
};

// `runs` with their manifests.
GpuHours gpu_hours(const std::vector<PastRun>& runs, const GpuHoursKey& key);

// "not counted: 3 runs without a duration, 1 run whose GPUs are not known"; "" when all are.
std::string not_counted_words(const GpuHours& hours);
// {"apiVersion","kind":"GpuHours","by","groups":[{"name","runs","gpuHours"}],"total":{"runs",
//  "gpuHours"},"notCounted":{"withoutDuration","withoutGpus"}}
Json gpu_hours_report(const GpuHours& hours, const GpuHoursKey& key);

}  // namespace trainctl::work
