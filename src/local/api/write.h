// Handles POST and PATCH of objects and their status.
#pragma once

#include "local/api/call.h"

namespace trainctl::local {

Answered<ApiAnswer> create_object(const ApiParts& parts, const ApiCall& call);
Answered<ApiAnswer> patch_object(const ApiParts& parts, const ApiCall& call);

// Checks that kind, apiVersion and namespace of a body agree with the path, and fills in missing
// ones.
std::optional<ApiError> complete_identity(const ApiCall& call, Json& object);

}  // namespace trainctl::local
