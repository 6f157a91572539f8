// The values that an API server (and its admission plugins) fill into core objects.
#pragma once

#include "base/json.h"
#include "local/resources.h"

namespace trainctl::local {

// Sets what is missing; what a user or the operator wrote stays.
void apply_core_defaults(const ServedResource& resource, Json& object);

}  // namespace trainctl::local
