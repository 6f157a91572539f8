// Reads the worker count as apimachinery's NestedInt64 does, with its error messages.
#include "local/api/scale_check.h"

#include <limits>
#include <map>
#include <sstream>

#include "base/text/text.h"
#include "local/api/object_meta.h"

namespace trainctl::local {

namespace {

std::string_view go_type(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_array()) return "[]interface {}";
  if (value.is_object()) return "map[string]interface {}";
  return int_at(value, "") ? "int64" : "float64";
}

// Prints a decoded JSON value as Go's %v does.
std::string go_text(const Json& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return text_at(value, "");
  std::vector<std::string> parts;
  if (value.is_array()) {
    for (const Json& element : value) parts.push_back(go_text(element));
    return cat('[', join(parts, " "), ']');
  }
  if (value.is_object()) {
    std::map<std::string, std::string> sorted;
    for (const auto& [key, element] : value.items()) sorted[key] = go_text(element);
    for (const auto& [key, text] : sorted) parts.push_back(cat(key, ':', text));
    return cat("map[", join(parts, " "), ']');
  }
  if (!value.is_number_float()) return dump(value);
  std::ostringstream text;
  text << value.get<double>();
  return std::move(text).str();
}

FieldFault unreadable(const std::string& field, const std::string& place, const Json& value,
                      std::string_view expected) {
  return invalid_value(field, 0,
                       cat(place, " accessor error: ", go_text(value), " is of the type ",
                           go_type(value), ", expected ", expected));
}

}  // namespace

std::vector<FieldFault> scale_faults(const ServedResource& resource, const Json& object) {
  if (!resource.scalable) return {};
  const std::string pointer = cat(resource.job_kind->replica_specs, "/Worker/replicas");
  std::vector<std::string> steps = split(pointer.substr(1), '/');
  const std::string field = cat('.', join(steps, "."));
  const Json* here = &object;
  std::string place;
  for (const std::string& step : steps) {
    place += cat('.', step);
    if (here->is_null()) return {};
    if (!here->is_object()) return {unreadable(field, place, *here, "map[string]interface{}")};
    const auto found = here->find(step);
    if (found == here->end()) return {};
    here = &*found;
  }
  const auto count = int_at(*here, "");
  if (!count) return {unreadable(field, place, *here, "int64")};
  constexpr std::int64_t k_most_workers = std::numeric_limits<std::int32_t>::max();
  if (*count < 0) return {invalid_value(field, *count, "should be a non-negative integer")};
  if (*count <= k_most_workers) return {};
  return {invalid_value(field, *count, cat("should be less than or equal to ", k_most_workers))};
}

}  // namespace trainctl::local
