// The rules for every object's metadata: names, labels, annotations, owners.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "local/api_error.h"

namespace trainctl::local {

using NameRule = std::vector<std::string> (*)(std::string_view text);

// The faults of a new object's metadata (including its name), and of a changed one's.
std::vector<FieldFault> created_meta_faults(const Json& object, NameRule rule);
std::vector<FieldFault> updated_meta_faults(const Json& object, const Json& before);

// The server's warnings about finalizers that are new in a custom resource.
std::vector<std::string> finalizer_warnings(const Json& object, const Json* before);

// The faults of a label map at `field` ("metadata.labels").
std::vector<FieldFault> label_faults(const Json& labels, std::string_view field);

// Removes what Go omits when it writes metadata: nulls, empty maps, lists and strings. A label or
// annotation that is null becomes an empty one.
void compact_metadata(Json& object);

// The fault for `value`, quoted as JSON: `Invalid value: "x": why`.
FieldFault invalid_value(std::string_view field, const Json& value, std::string_view why);

}  // namespace trainctl::local
