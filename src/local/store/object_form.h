// Comparison of objects regardless of the order of their fields; times and random names.
#pragma once

#include <string>
#include <string_view>

#include "base/text/time.h"
#include "base/value/json.h"

namespace trainctl::local {

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
