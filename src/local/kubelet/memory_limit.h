// Enforces the memory limit of a container without a cgroup: counts what its processes hold, once a
// second.
#pragma once

#include <cstdint>
#include <span>

#include <sys/types.h>

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

}  // namespace trainctl::local
