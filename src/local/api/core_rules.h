// What an API server refuses in core objects (422), besides pods: those have pod_check.h.
#pragma once

#include <vector>

#include "base/json.h"
#include "local/api/object_meta.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

NameRule name_rule_of(const ServedResource& resource);

// Faults of a core object whose defaults are filled in, besides those of its metadata.
std::vector<FieldFault> core_faults(const ServedResource& resource, const Json& object);

}  // namespace trainctl::local
