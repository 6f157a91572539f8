// The reasons why an API server would refuse a pod.
#pragma once

#include <optional>
#include <vector>

#include "base/value/json.h"
#include "local/api_error.h"
#include "local/store/store.h"

namespace trainctl::local {

// The validation errors (422) of a pod with its defaults, in the server's order, as far as a job's
// template can cause them.
std::vector<FieldFault> pod_faults(const Json& pod);

// The refusal of a pod, by admission (403) and then validation; nullopt = it may be stored.
std::optional<ApiError> pod_refusal(const Store& store, const Json& pod);

}  // namespace trainctl::local
