// A field of another type than it should have is left out as well.
#include "manifest/allowed_fields.h"

#include <algorithm>
#include <string>

namespace trainctl::job {
namespace {

bool is_number(const Json& value) {
  return value.is_number_integer();
}

bool has_type(const Json& value, FieldType type) {
  switch (type) {
    case FieldType::text:
      return value.is_string();
    case FieldType::number:
      return is_number(value);
    case FieldType::boolean:
      return value.is_boolean();
    case FieldType::numbers:
      return value.is_array() && std::ranges::all_of(value, is_number);
  }
  return false;
}

}  // namespace

Json only_allowed(const Json& object, std::span<const AllowedField> fields) {
  Json kept = Json::object();
  if (!object.is_object()) return kept;
  for (const AllowedField& field : fields) {
    const auto found = object.find(field.name);
    if (found != object.end() && has_type(*found, field.type)) {
      kept[std::string(field.name)] = *found;
    }
  }
  return kept;
}

Json only_allowed_of_each(const Json& list, std::span<const AllowedField> fields) {
  Json kept = Json::array();
  if (!list.is_array()) return kept;
  for (const Json& entry : list) kept.push_back(only_allowed(entry, fields));
  return kept;
}

}  // namespace trainctl::job
