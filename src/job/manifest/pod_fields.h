// The values that the downward API gives for a pod and its container.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/value/json.h"

namespace trainctl::job {

// The value of metadata.labels['x'], status.podIP, …; nullopt when the downward API has no such
// field.
std::optional<std::string> field_of(const Json& pod, std::string_view path);

// The value of limits.cpu, requests.memory, … in units of the divisor, rounded up; nullopt when the
// container sets none, so that the node decides. A limit is also a request.
std::optional<std::string> resource_of(const Json& container, std::string_view resource,
                                       std::string_view divisor);

// A quantity in units of the divisor, rounded up; "0" when it is none.
std::string in_units(std::string_view quantity, std::string_view divisor);

}  // namespace trainctl::job
