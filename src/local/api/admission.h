// Checks and completes an object before the API server stores it.
#pragma once

#include <optional>

#include "base/value/json.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

// The values that an API server (and its admission plugins) fill into core objects. Sets missing
// fields; fields that a user or the operator wrote stay.
void apply_core_defaults(const ServedResource& resource, Json& object);

// Refuses (422) objects that the operator or the kubelet could not read, or whose names are no
// names of files: unknown fields, values of another type, names. trainctl has checked manifests
// before it sends them, with hints. Fills in defaults.
std::optional<ApiError> admit(const ServedResource& resource, Json& object);

}  // namespace trainctl::local
