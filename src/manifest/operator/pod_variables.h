// The variables that the operator appends to the containers of a pod.
#pragma once

#include <vector>

#include "base/value/json.h"

namespace trainctl::job {

void append_variables(Json& container, const std::vector<Json>& variables);
// To each container of the pod, init containers excluded.
void append_variables_to_all(Json& pod, const std::vector<Json>& variables);

}  // namespace trainctl::job
