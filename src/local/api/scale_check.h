// The scale subresource's requirements on a job's worker count, in addition to its schema.
#pragma once

#include <vector>

#include "base/value/json.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

// Empty for kinds without a scale subresource.
std::vector<FieldFault> scale_faults(const ServedResource& resource, const Json& object);

}  // namespace trainctl::local
