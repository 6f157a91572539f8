// A pod's quality of service class.
#pragma once

#include <string>

#include "base/value/json.h"

namespace trainctl::local {

// The class, "Guaranteed", "Burstable" or "BestEffort", from the cpu and memory of its containers.
std::string qos_class(const Json& pod);

}  // namespace trainctl::local
