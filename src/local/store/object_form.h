// The order of an object's fields as an API server writes them, and comparison regardless of it.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "local/resources.h"

namespace trainctl::local {

// Custom resources have their keys in alphabetical order; core objects begin with kind, apiVersion
// and metadata, whose fields have the order of ObjectMeta, and end with status.
Json in_server_order(const ServedResource& resource, Json object);

// Equal but for the order of keys.
bool same_value(const Json& one, const Json& other);
// Equal but for the order of keys and for metadata, status and what only binding a pod sets: what
// does not count for metadata.generation.
bool same_specification(const Json& one, const Json& other);

// "2026-11-21T09:31:58Z": metav1.Time has whole seconds.
std::string whole_seconds(Time time);

// A random version 4 UUID.
std::string new_uid();
// Five characters for a generated name, as apimachinery's rand.String chooses them.
std::string name_suffix();

}  // namespace trainctl::local
