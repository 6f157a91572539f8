// Walks along the pointer, and refuses it where RFC 6902 would.
#include "job/manifest/setting.h"

#include <optional>
#include <vector>

#include "base/text/number.h"
#include "base/text/text.h"
#include "base/value/yaml.h"
#include "job/manifest/flag_patch.h"
#include "job/manifest/flag_values.h"

namespace trainctl::job {

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
