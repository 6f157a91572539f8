// Rebuilds JSON from the fields that are known to be harmless: unknown fields are left out. Pure.
#pragma once

#include <span>
#include <string_view>

#include "base/value/json.h"

namespace trainctl::job {

enum class FieldType { text, number, boolean, numbers };

struct AllowedField {
  std::string_view name;
  FieldType type = FieldType::text;
};

// The fields of an object that are allowed and have the right type; an empty object for any other
// value.
Json only_allowed(const Json& object, std::span<const AllowedField> fields);
// The same for each entry of a list.
Json only_allowed_of_each(const Json& list, std::span<const AllowedField> fields);

}  // namespace trainctl::job
