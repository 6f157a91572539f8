// The order of an object's fields as an API server writes them, and comparison regardless of it.
#pragma once

#include <string>
#include <string_view>

#include "base/text/time.h"
#include "base/value/json.h"
#include "local/resources.h"

namespace trainctl::local {

// Orders an object's keys. Custom resources have them in alphabetical order; core objects begin
// with kind, apiVersion and metadata, whose fields have the order of ObjectMeta, and end with
// status.
Json in_server_order(const ServedResource& resource, Json object);

// True when the values are equal except for the order of keys.
bool same_value(const Json& one, const Json& other);
// True when the objects are equal except for the order of keys, metadata, status and the fields
// that binding a pod sets, none of which affect metadata.generation.
bool same_specification(const Json& one, const Json& other);

// Prints whole seconds as metav1.Time does: "2026-11-21T09:31:58Z".
std::string whole_seconds(Time time);

// A random version 4 UUID.
std::string new_uid();
// Five characters for a generated name, as apimachinery's rand.String chooses them.
std::string name_suffix();

}  // namespace trainctl::local
