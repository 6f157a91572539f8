// The processors and the memory of this machine.
#pragma once

#include <cstdint>

namespace trainctl {

struct Machine {
  std::int64_t processors = 0;
  std::int64_t memory = 0;  // in bytes
};
Machine this_machine();

}  // namespace trainctl
