// Chooses the container of a pod that a request for a log or a stream is about.
#pragma once

#include <optional>
#include <string>

#include "base/value/json.h"
#include "local/api_error.h"

namespace trainctl::local {

// Fills in the only container where none is named; 400 for a name that the pod does not have.
std::optional<ApiError> choose_container(const Json& pod, std::string& container);

}  // namespace trainctl::local
