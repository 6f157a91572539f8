// Elements with a merge key of the API come together; a few lists without one are collected.
#include "job/manifest/merge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "job/manifest/flags/patch.h"
#include "job/manifest/flags/values.h"
#include "kube/object/metadata.h"

namespace trainctl::job {
namespace {

// A variable has a value or a source, never a mix: the merge of the API would make one.
constexpr std::string_view k_replaced = "env";

// Lists without a key whose elements stand beside each other ("add", "drop": Linux capabilities).
constexpr std::array<std::string_view, 4> k_appended = {"tolerations", "envFrom", "add", "drop"};

const kube::MergeKey* merge_key_of(std::string_view list) {
  const auto rows = kube::merge_keys();
  const auto found =
      std::ranges::find_if(rows, [list](const kube::MergeKey& row) { return row.list == list; });
  return found == rows.end() ? nullptr : &*found;
}

bool is_appended(std::string_view list) {
  return std::ranges::find(k_appended, list) != k_appended.end();
}

void append_unless_present(Json& list, const Json& element) {
  if (std::ranges::find(list, element) == list.end()) list.push_back(element);
}

void drop_fields_missing_in(Json& element, const Json& patch) {
  for (auto field = element.begin(); field != element.end();) {
    field = patch.contains(field.key()) ? std::next(field) : element.erase(field);
  }
}

void merge_element(Json& list, const Json& patch, const kube::MergeKey& row) {
  const std::string key(row.key);
  if (!patch.is_object() || !patch.contains(key)) return append_unless_present(list, patch);

  const auto same_key = [&](const Json& element) {
    return element.is_object() && element.contains(key) && element[key] == patch[key];
  };
  const auto found = std::ranges::find_if(list, same_key);
  if (patch.contains("$patch") && patch["$patch"] == "delete") {
    if (found != list.end()) list.erase(found);
    return;
  }
  if (found == list.end()) {
    Json added = Json::object();
    strategic_merge(added, patch);
    list.push_back(std::move(added));
    return;
  }
  if (row.list == k_replaced) *found = Json::object();
  if (row.retains_keys) drop_fields_missing_in(*found, patch);
  strategic_merge(*found, patch);
}

void merge_list(Json& base, const Json& patch, std::string_view name) {
  const kube::MergeKey* row = merge_key_of(name);
  if (row == nullptr && !is_appended(name)) {
    base = patch;
    return;
  }
  if (!base.is_array()) base = Json::array();
  for (const Json& element : patch) {
    if (row != nullptr) {
      merge_element(base, element, *row);
    } else {
      append_unless_present(base, element);
    }
  }
}

void merge_field(Json& object, const std::string& key, const Json& patch) {
  if (patch.is_null()) {
    object.erase(key);
  } else if (patch.is_array()) {
    merge_list(object[key], patch, key);
  } else if (patch.is_object() && !(object.contains(key) && object[key].is_object())) {
    Json created = Json::object();
    strategic_merge(created, patch);
    if (!created.empty() || patch.empty()) object[key] = std::move(created);
  } else if (patch.is_object()) {
    strategic_merge(object[key], patch);
  } else {
    object[key] = patch;
  }
}

}  // namespace

void strategic_merge(Json& base, const Json& patch) {
  if (!patch.is_object()) {
    base = patch;
    return;
  }
  if (!base.is_object()) base = Json::object();
  for (const auto& [key, value] : patch.items()) merge_field(base, key, value);
}

namespace {

Error misplaced(std::string_view place, std::string_view fault, std::string_view hint) {
  return {Code::usage, cat("--set: ", printable_line(place), ' ', fault), std::string(hint)};
}

// The index that a step means in a list; the index after the last element appends.
Result<std::size_t> index_in(const Json& list, const std::string& step, std::string_view place) {
  if (step == "-") return list.size();
  const auto index = parse_number<std::int64_t>(step);
  if (!index || *index < 0) {
    return misplaced(place, cat("is a list: '", printable_line(step), "' is not a position in it"),
                     cat("count from 0; ", printable_line(place), "/- appends"));
  }
  if (*index > static_cast<std::int64_t>(list.size())) {
    return misplaced(
        place,
        cat("has ", plural(static_cast<long>(list.size()), "element"), ": there is no ", *index),
        cat("count from 0; ", printable_line(place), "/- appends"));
  }
  return static_cast<std::size_t>(*index);
}

class SettingWalk {
 public:
  SettingWalk(Json& manifest, std::string_view pointer)
      : here_(&manifest), steps_(split(pointer.substr(1), '/')) {}

  Status set(Json value) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (here_->is_null()) make(i);
      TRY(go(steps_[i]));
    }
    *here_ = std::move(value);
    return {};
  }

  Status remove() {
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      if (here_->is_object() && !here_->contains(key_of_step(steps_[i]))) return {};
      TRY(go(steps_[i]));
    }
    if (here_->is_object()) {
      here_->erase(key_of_step(steps_.back()));
    } else if (here_->is_array()) {
      TRY_ASSIGN(const std::size_t index, index_in(*here_, steps_.back(), place_));
      if (index < here_->size()) here_->erase(index);
    }
    return {};
  }

 private:
  // The next step decides whether a missing field becomes a list or an object.
  void make(std::size_t i) {
    const bool first_element = steps_[i] == "0" || steps_[i] == "-";
    const bool inside_element = i + 1 < steps_.size() && parse_number<std::int64_t>(steps_[i]);
    *here_ = first_element || inside_element ? Json::array() : Json::object();
  }

  Status go(const std::string& step) {
    if (here_->is_array()) {
      TRY_ASSIGN(const std::size_t index, index_in(*here_, step, place_));
      if (index == here_->size()) here_->push_back(nullptr);
      here_ = &(*here_)[index];
    } else if (here_->is_object()) {
      here_ = &(*here_)[key_of_step(step)];
    } else {
      return misplaced(place_, "is a single value: there is nothing below it",
                       "trainctl submit … --dry-run shows the manifest");
    }
    place_ += cat('/', step);
    return {};
  }

  Json* here_;
  std::vector<std::string> steps_;
  std::string place_;
};

}  // namespace

Status apply_setting(const std::string& text, Json& manifest) {
  const Halves setting = split_once(text, '=');
  if (!setting.first.starts_with('/') || setting.second.empty()) {
    return Error{Code::usage, cat("--set: '", printable_line(text), "' is not /POINTER=VALUE"),
                 "--set /spec/runPolicy/suspend=true"};
  }
  if (const auto fault = text_fault(text); !fault.empty()) {
    return Error{Code::usage, cat("--set: the setting ", fault), ""};
  }
  SettingWalk walk(manifest, setting.first);
  if (setting.second == "null") return walk.remove();
  const auto value = from_yaml(setting.second, "--set");
  const bool is_scalar = value && value->is_primitive() && !value->is_null();
  return walk.set(is_scalar ? *value : Json(setting.second));
}

}  // namespace trainctl::job
