// Edits objects in place, creating missing members.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/value/json.h"

namespace trainctl {

// The member `key` of an object; a value that is not an object is replaced by one first.
inline Json& member(Json& object, std::string_view key) {
  if (!object.is_object()) object = Json::object();
  return object[std::string(key)];
}

inline Json& object_in(Json& object, std::string_view key) {
  Json& value = member(object, key);
  if (!value.is_object()) value = Json::object();
  return value;
}

inline Json& list_in(Json& object, std::string_view key) {
  Json& value = member(object, key);
  if (!value.is_array()) value = Json::array();
  return value;
}

// Sets a member that is absent or null.
inline void set_default(Json& object, std::string_view key, Json value) {
  Json& there = member(object, key);
  if (there.is_null()) there = std::move(value);
}

// Like set_default, for texts that Go omits when they are empty.
inline void set_default_text(Json& object, std::string_view key, std::string_view value) {
  Json& there = member(object, key);
  if (!there.is_string() || there.get_ref<const std::string&>().empty()) there = value;
}

}  // namespace trainctl
