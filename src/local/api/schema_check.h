// Validates a job against its schema, as an API server does for custom resources.
#pragma once

#include <vector>

#include "base/value/json.h"
#include "job/manifest/schema.h"
#include "local/api_error.h"

namespace trainctl::local {

// Types, patterns and required fields, in the words of kube-openapi. Ignores the object's
// metadata, which has rules of its own (object_meta.h).
std::vector<FieldFault> type_faults(const Json& object, const job::ObjectShape& shape);

// Finds elements of keyed lists with equal keys, and equal elements of sets.
std::vector<FieldFault> duplicate_faults(const Json& object, const job::ObjectShape& shape);

}  // namespace trainctl::local
