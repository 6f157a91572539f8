// Enforces the memory limit of a container without a cgroup: counts what its processes hold, once a
// second.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include <sys/types.h>

#include "base/text/time.h"
#include "base/value/json.h"
#include "local/kubelet/runner.h"

namespace trainctl::local {

// Bytes that the processes hold in memory and that could not be read again from a file. A page that
// several of them share counts once, as in a cgroup.
std::int64_t memory_of(std::span<const pid_t> processes);

class MemoryLimit {
 public:
  // `bytes` 0 = there is no limit.
  explicit MemoryLimit(std::int64_t bytes) : bytes_(bytes) {}
  // True when the descendants of `guard` hold more; looks at most once a second.
  bool is_exceeded_below(pid_t guard);

 private:
  std::int64_t bytes_;
  time_t next_look_ = 0;  // on the monotonic clock
};

// Measures the containers of this machine, in the form of the metrics API.
class UsageMeter {
 public:
  // {"cpu": "1500m", "memory": "2048Ki"} of a running container: its CPU time since the question
  // before, at first since its start.
  Json usage_of(const AttemptRecord& run, Time now);

 private:
  struct Sample {
    Time taken;
    unsigned long long ticks = 0;
    double cores = 0;
  };
  std::map<std::string, Sample> samples_;  // by the mark of the container's guard
};

}  // namespace trainctl::local
