// The validation errors of core objects (422) except pods, which pod_check.h checks.
#pragma once

#include <vector>

#include "base/value/json.h"
#include "local/api/object_meta.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

NameRule name_rule_of(const ServedResource& resource);

// The faults of a core object whose defaults are filled in, except those of its metadata.
std::vector<FieldFault> core_faults(const ServedResource& resource, const Json& object);

}  // namespace trainctl::local
