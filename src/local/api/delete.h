// Handles DELETE of an object, and of all objects that a selector matches.
#pragma once

#include "local/api/call.h"

namespace trainctl::local {

Answered<ApiAnswer> remove_object(const ApiParts& parts, const ApiCall& call);
Answered<ApiAnswer> remove_collection(const ApiParts& parts, const ApiCall& call);

}  // namespace trainctl::local
