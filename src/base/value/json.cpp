// Parses and prints JSON, and looks up pointers without throwing.
#include "base/value/json.h"

#include <algorithm>
#include <limits>

#include "base/text/text.h"
#include "base/value/json_builder.h"

namespace trainctl {

namespace {

// Far above any API object. Copying and printing recurse, so the depth must be limited.
constexpr int k_deepest = 500;

bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > k_deepest) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

std::string place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return cat("line ", line, ", column ", std::max<std::size_t>(1, before.size() - line_start));
}

// Removes "/step" from the front of a pointer and returns it unescaped.
std::string take_step(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const auto end = std::min(pointer.find('/'), pointer.size());
  std::string step = key_of_step(pointer.substr(0, end));
  pointer.remove_prefix(end);
  return step;
}

std::optional<std::size_t> array_index(std::string_view step) {
  const bool digits = !step.empty() && step.size() <= 9 &&
                      step.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits || (step.size() > 1 && step[0] == '0')) return std::nullopt;
  return std::stoul(std::string(step));
}

const Json* child(const Json& value, const std::string& step) {
  if (value.is_object()) {
    const auto found = value.find(step);
    return found == value.end() ? nullptr : &*found;
  }
  if (!value.is_array()) return nullptr;
  const auto index = array_index(step);
  return index && *index < value.size() ? &value[*index] : nullptr;
}

// The child that a step names, created when it is missing.
Json& made_child(Json& value, const std::string& step) {
  const auto index = array_index(step);
  if (value.is_array() && (index || step == "-")) {
    if (index && *index < value.size()) return value[*index];
    value.push_back(nullptr);
    return value.back();
  }
  if (!value.is_object()) value = Json::object();
  return value[step];
}

Error unreadable(const JsonBuilder& builder, std::string_view text, std::string_view what) {
  switch (builder.trouble()) {
    case JsonBuilder::Trouble::number_too_large:
      return Error{Code::error, cat(what, " holds a number that is too large"), ""};
    case JsonBuilder::Trouble::too_many_values:
      return Error{Code::error, cat(what, " holds more values than trainctl reads"), ""};
    default:
      break;
  }
  if (trim(text).empty()) return Error{Code::error, cat(what, " is empty, not JSON"), ""};
  const std::string place = place_of(text, builder.trouble_at());
  return Error{Code::error, cat(what, " is not JSON (", place, ")"), ""};
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what,
                        const std::optional<MemberOf>& left_out) {
  if (too_deep(text)) return Error{Code::error, cat(what, " is nested too deep for JSON"), ""};
  JsonBuilder builder(left_out);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return unreadable(builder, text, what);
  return builder.take();
}

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

const Json* find(const Json& value, std::string_view pointer) {
  const Json* here = &value;
  if (!pointer.empty() && pointer[0] != '/') return nullptr;
  while (here != nullptr && !pointer.empty()) here = child(*here, take_step(pointer));
  return here;
}

std::string text_at(const Json& value, std::string_view pointer, std::string_view fallback) {
  const Json* found = find(value, pointer);
  if (found == nullptr || !found->is_string()) return std::string(fallback);
  return found->get_ref<const std::string&>();
}

std::string_view view_at(const Json& value, std::string_view pointer) {
  const Json* found = find(value, pointer);
  if (found == nullptr || !found->is_string()) return "";
  return found->get_ref<const std::string&>();
}

std::optional<std::int64_t> int_at(const Json& value, std::string_view pointer) {
  const Json* found = find(value, pointer);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  constexpr std::uint64_t k_largest = std::numeric_limits<std::int64_t>::max();
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > k_largest) return std::nullopt;
  return found->get<std::int64_t>();
}

bool true_at(const Json& value, std::string_view pointer) {
  const Json* found = find(value, pointer);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

const Json& array_at(const Json& value, std::string_view pointer) {
  static const Json k_none = Json::array();
  const Json* found = find(value, pointer);
  return found != nullptr && found->is_array() ? *found : k_none;
}

const Json& object_at(const Json& value, std::string_view pointer) {
  static const Json k_none = Json::object();
  const Json* found = find(value, pointer);
  return found != nullptr && found->is_object() ? *found : k_none;
}

std::string pointer_step(std::string_view key) {
  std::string step;
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

std::string key_of_step(std::string_view step) {
  std::string key;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool escape = step[i] == '~' && i + 1 < step.size();
    if (escape && (step[i + 1] == '0' || step[i + 1] == '1')) {
      key += step[++i] == '0' ? '~' : '/';
    } else {
      key += step[i];
    }
  }
  return key;
}

void set_at(Json& value, std::string_view pointer, Json leaf) {
  if (!pointer.empty() && pointer[0] != '/') return;
  Json* here = &value;
  while (!pointer.empty()) here = &made_child(*here, take_step(pointer));
  *here = std::move(leaf);
}

}  // namespace trainctl
