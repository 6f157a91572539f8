// Asks the C library, which knows of limits on processors.
#include "base/machine.h"

#include <algorithm>
#include <thread>

#include <unistd.h>

namespace trainctl {

Machine this_machine() {
  const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES);
  return {std::max(1U, std::thread::hardware_concurrency()), pages * ::sysconf(_SC_PAGESIZE)};
}

}  // namespace trainctl
