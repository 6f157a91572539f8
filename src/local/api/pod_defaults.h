// Completes a pod as the API server does when it stores one: defaults, normal forms and the first
// status.
#pragma once

#include <string_view>

#include "base/value/json.h"

namespace trainctl::local {

// Completes a new pod, except for the projected volume with an API token, which nothing here would
// read.
void set_pod_defaults(Json& pod);

// The pod's class: Guaranteed, Burstable or BestEffort.
std::string_view quality_of_service(const Json& pod);

}  // namespace trainctl::local
