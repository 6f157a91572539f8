// The one value type for Kubernetes objects, and look-ups in it that cannot throw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/result.h"

// Instantiated once, in json.cpp: compiling these took half of the time of each file that
// uses objects.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class std::vector<nlohmann::ordered_json>;

namespace trainctl {

// Ordered, so that a rendered manifest keeps the order of its template.
using Json = nlohmann::ordered_json;

// Selects a member called `name` of an object that is itself a member called `parent`.
struct MemberOf {
  std::string_view parent, name;
};

// Parses text. `what` names it in the error ("answer of the server", "output of aws"). Members that
// match `left_out` are dropped while parsing, so that they take little memory.
Result<Json> parse_json(std::string_view text, std::string_view what,
                        const std::optional<MemberOf>& left_out = {});

// Compact (indent < 0) or indented text. Never fails: invalid UTF-8 becomes U+FFFD.
std::string dump(const Json& value, int indent = -1);

// Look up RFC 6901 pointers; nullptr, fallback or nullopt when a step is missing or of another
// type.
const Json* find(const Json& value, std::string_view pointer);
std::string text_at(const Json& value, std::string_view pointer, std::string_view fallback = "");
// A text where it stands; "" = none.
std::string_view view_at(const Json& value, std::string_view pointer);
std::optional<std::int64_t> int_at(const Json& value, std::string_view pointer);
bool true_at(const Json& value, std::string_view pointer);

// The array at pointer, or an empty one, for range-for.
const Json& array_at(const Json& value, std::string_view pointer);
// The object at pointer, or an empty one, for .items().
const Json& object_at(const Json& value, std::string_view pointer);

// One step of a pointer, with '~' and '/' escaped.
std::string pointer_step(std::string_view key);
// The key of an escaped step; the inverse of pointer_step.
std::string key_of_step(std::string_view step);

// Sets the value at pointer, creating the objects on the way; a step through a scalar replaces it.
// In an array, "-" or an index past the end appends, and a step that is not an index replaces the
// array. A pointer that does not begin with a slash names nothing and sets nothing.
void set_at(Json& value, std::string_view pointer, Json leaf);

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

}  // namespace trainctl
