// Resolves references to named objects.
#include "support/named_objects.h"

#include "base/text/text.h"
#include "base/value/yaml.h"

namespace trainctl::testing {
namespace {

// Of objects that refer to objects; a circle is deeper.
constexpr int k_depth = 50;

}  // namespace

Status NamedObjects::add(std::string_view yaml, std::string_view file) {
  TRY_ASSIGN(const Json named, from_yaml(yaml, file));
  for (const auto& [name, object] : named.items()) {
    if (!objects_.emplace(name, object).second) {
      return Error{Code::usage, cat(file, ": a second object is called ", name), ""};
    }
  }
  return {};
}

Result<Json> NamedObjects::resolved(const Json& value) const {
  return resolved(value, 0);
}

Result<Json> NamedObjects::resolved(const Json& value, int depth) const {
  if (depth > k_depth) return Error{Code::usage, "an object refers to itself", ""};
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& element : value) {
      TRY_ASSIGN(Json one, resolved(element, depth + 1));
      list.push_back(std::move(one));
    }
    return list;
  }
  if (!value.is_object()) return value;

  Json members = Json::object();
  const std::string name = text_at(value, "/object");
  for (const auto& [key, member] : value.items()) {
    if (key == "object" && member.is_string()) continue;
    TRY_ASSIGN(members[key], resolved(member, depth + 1));
  }
  if (name.empty()) return members;
  const auto found = objects_.find(name);
  if (found == objects_.end()) {
    return Error{Code::usage, cat("there is no object called ", name), ""};
  }
  TRY_ASSIGN(Json object, resolved(found->second, depth + 1));
  object.merge_patch(members);
  return object;
}

}  // namespace trainctl::testing
