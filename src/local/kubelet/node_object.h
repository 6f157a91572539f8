// The Node object of this machine.
#pragma once

#include <string>

#include "base/text/time.h"
#include "base/value/json.h"

namespace trainctl::local {

std::string host_name();

// A ready node with the machine's processors, memory and `gpus` devices.
Json node_object(const std::string& name, int gpus, Time now);

}  // namespace trainctl::local
