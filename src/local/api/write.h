// Handles POST, PATCH and DELETE, and creates what every cluster has from the beginning.
#pragma once

#include "local/api/call.h"

namespace trainctl::local {

Answered<ApiAnswer> create_object(const ApiParts& parts, const ApiCall& call);
Answered<ApiAnswer> patch_object(const ApiParts& parts, const ApiCall& call);

// Handles DELETE of an object, and of all objects that a selector matches.
Answered<ApiAnswer> remove_object(const ApiParts& parts, const ApiCall& call);
Answered<ApiAnswer> remove_collection(const ApiParts& parts, const ApiCall& call);

}  // namespace trainctl::local
