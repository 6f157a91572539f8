// The variables that the operator appends to the containers of a pod.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "kube/object/metadata.h"

namespace trainctl::job {

using kube::variable;
Json variable(std::string_view name, std::int64_t value);
void append_variables(Json& container, const std::vector<Json>& variables);
// To each container of the pod, init containers excluded.
void append_variables_to_all(Json& pod, const std::vector<Json>& variables);

}  // namespace trainctl::job
