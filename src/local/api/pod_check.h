// Why an API server would not create a pod.
#pragma once

#include <optional>
#include <vector>

#include "base/json.h"
#include "local/api_error.h"
#include "local/store/store.h"

namespace trainctl::local {

// What validation (422) says of a pod with its defaults, in the server's order: the faults that a
// job's template can bring about.
std::vector<FieldFault> pod_faults(const Json& pod);

// The refusal of a pod, admission (403) before validation; nullopt = it may be stored.
std::optional<ApiError> pod_refusal(const Store& store, const Json& pod);

}  // namespace trainctl::local
