// The Node object of this machine.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/time.h"

namespace trainctl::local {

std::string host_name();

struct Machine {
  std::int64_t processors = 0;
  std::int64_t memory = 0;  // bytes
};
Machine this_machine();

// A ready node with the machine's processors, memory and `gpus` devices.
Json node_object(const std::string& name, int gpus, Time now);

}  // namespace trainctl::local
