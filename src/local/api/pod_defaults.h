// What a pod becomes when the API server stores it: defaults, normal forms and the first status.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace trainctl::local {

// Completes a new pod. Left out on purpose: the projected volume with an API token, which nothing
// here would read.
void set_pod_defaults(Json& pod);

// "1024Mi" as the server writes it back: "1Gi". What is no quantity stays.
std::string canonical_quantity(std::string_view text);

// Guaranteed, Burstable or BestEffort.
std::string_view quality_of_service(const Json& pod);

}  // namespace trainctl::local
