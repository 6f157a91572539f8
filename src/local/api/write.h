// Handles POST and PATCH of objects and their status.
#pragma once

#include "local/api/call.h"

namespace trainctl::local {

Answered<ApiAnswer> create_object(const ApiParts& parts, const ApiCall& call);
Answered<ApiAnswer> patch_object(const ApiParts& parts, const ApiCall& call);

// Checks that kind, apiVersion and namespace of a body agree with the path, and fills in missing
// ones.
std::optional<ApiError> complete_identity(const ApiCall& call, Json& object);

// Handles DELETE of an object, and of all objects that a selector matches.
Answered<ApiAnswer> remove_object(const ApiParts& parts, const ApiCall& call);
Answered<ApiAnswer> remove_collection(const ApiParts& parts, const ApiCall& call);

}  // namespace trainctl::local
