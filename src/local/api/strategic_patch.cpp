// Strategic merge: lists by the merge keys of core/v1, and the directives kubectl sends.
#include <algorithm>
#include <array>
#include <string_view>

#include "kube/object/metadata.h"
#include "local/api/patch.h"

namespace trainctl::local {

namespace {

constexpr std::array<std::string_view, 1> k_sets = {"finalizers"};

constexpr std::string_view k_from_list = "$deleteFromPrimitiveList/";

std::string_view merge_key_of(std::string_view list, const Json& elements) {
  for (const kube::MergeKey& row : kube::merge_keys()) {
    const bool fits = row.list == list && std::ranges::all_of(elements, [&](const Json& one) {
                        return one.is_object() && one.contains(std::string(row.key));
                      });
    if (fits) return row.key;
  }
  return "";
}

std::string directive_of(const Json& patch) {
  return patch.is_object() ? text_at(patch, "/$patch") : std::string();
}

// "$patch: replace" as an element of a list speaks for the whole of it.
bool replaces_list(const Json& patch) {
  return std::ranges::any_of(patch, [](const Json& one) { return directive_of(one) == "replace"; });
}

Json without_directives(Json list) {
  Json kept = Json::array();
  for (Json& element : list) {
    if (directive_of(element).empty()) kept.push_back(std::move(element));
  }
  return kept;
}

void merge_element(Json& list, const Json& patch, const std::string& key) {
  const auto found = std::ranges::find_if(list, [&](const Json& element) {
    const Json* value = find(element, "/" + key);
    return value != nullptr && *value == patch[key];
  });
  if (directive_of(patch) == "delete") {
    if (found != list.end()) list.erase(found);
  } else if (found != list.end()) {
    strategic_patch(*found, patch);
  } else {
    Json added = Json::object();
    strategic_patch(added, patch);
    list.push_back(std::move(added));
  }
}

void merge_list(Json& list, const Json& patch, std::string_view name) {
  const std::string key(merge_key_of(name, patch));
  const bool is_set = std::ranges::find(k_sets, name) != k_sets.end();
  if (replaces_list(patch) || (key.empty() && !is_set) || !list.is_array()) {
    list = without_directives(patch);
    return;
  }
  for (const Json& element : patch) {
    if (!key.empty()) {
      merge_element(list, element, key);
    } else if (std::ranges::find(list, element) == list.end()) {
      list.push_back(element);
    }
  }
}

void delete_from_list(Json& object, const std::string& name, const Json& values) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return;
  Json kept = Json::array();
  for (const Json& one : *found) {
    if (std::ranges::find(values, one) == values.end()) kept.push_back(one);
  }
  *found = std::move(kept);
}

void retain_keys(Json& object, const Json& keys) {
  for (auto field = object.begin(); field != object.end();) {
    const bool kept = std::find(keys.begin(), keys.end(), field.key()) != keys.end();
    field = kept ? std::next(field) : object.erase(field);
  }
}

void merge_field(Json& object, const std::string& key, const Json& value) {
  if (value.is_null()) {
    object.erase(key);
  } else if (value.is_array()) {
    merge_list(object[key], value, key);
  } else if (value.is_object() && directive_of(value) == "delete") {
    object.erase(key);
  } else if (value.is_object()) {
    strategic_patch(object[key], value);
  } else {
    object[key] = value;
  }
}

}  // namespace

void strategic_patch(Json& object, const Json& patch) {
  if (!patch.is_object()) {
    object = patch;
    return;
  }
  if (!object.is_object() || directive_of(patch) == "replace") object = Json::object();
  if (const Json* keys = find(patch, "/$retainKeys")) retain_keys(object, *keys);
  for (const auto& [key, value] : patch.items()) {
    if (key.starts_with(k_from_list)) {
      delete_from_list(object, key.substr(k_from_list.size()), value);
    } else if (!key.starts_with('$')) {
      merge_field(object, key, value);
    }
  }
}

}  // namespace trainctl::local
