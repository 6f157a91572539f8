// The conditions in the status of an object (Kubernetes API conventions, "typical status
// properties").
#pragma once

#include <optional>
#include <string_view>

#include "base/text/time.h"
#include "base/value/json.h"

namespace trainctl::kube {

// The condition of that type, or the one that is True; nullptr = none.
const Json* find_condition(const Json& object, std::string_view type);
const Json* true_condition(const Json& object, std::string_view type);
std::optional<Time> transition_time(const Json& condition);

}  // namespace trainctl::kube
