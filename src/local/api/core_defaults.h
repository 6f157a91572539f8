// The values that an API server (and its admission plugins) fill into core objects.
#pragma once

#include "base/value/json.h"
#include "local/resources.h"

namespace trainctl::local {

// Sets missing fields; fields that a user or the operator wrote stay.
void apply_core_defaults(const ServedResource& resource, Json& object);

}  // namespace trainctl::local
