// Sums CPU time and memory of all processes below a container's guard.
#include "local/kubelet/pod_metrics.h"

#include <cstdint>

#include <unistd.h>

#include "base/loop/processes.h"
#include "base/text/text.h"
#include "local/kubelet/memory_limit.h"

namespace trainctl::local {
namespace {

constexpr Duration k_shortest_window = std::chrono::seconds(1);

double in_seconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Json UsageMeter::usage_of(const AttemptRecord& run, Time now) {
  const auto processes = descendants(run.guard->pid);
  unsigned long long ticks = 0;
  for (const pid_t pid : processes) {
    if (const auto facts = process_facts(pid)) ticks += facts->ticks;
  }
  const auto [known, is_first] =
      samples_.try_emplace(mark_text(*run.guard), Sample{run.started.value_or(now)});
  Sample& sample = known->second;
  if (const Duration window = now - sample.taken; is_first || window >= k_shortest_window) {
    // A process that ended in between takes its time with it.
    const auto more = ticks > sample.ticks ? ticks - sample.ticks : 0;
    const double used = static_cast<double>(more) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    sample = {now, ticks, used / std::max(in_seconds(window), in_seconds(k_shortest_window))};
  }
  constexpr double k_milli = 1000;
  return {{"cpu", cat(static_cast<std::int64_t>(sample.cores * k_milli), "m")},
          {"memory", cat(memory_of(processes) / 1024, "Ki")}};
}

}  // namespace trainctl::local
