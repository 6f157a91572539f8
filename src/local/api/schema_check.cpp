// Types, patterns, required fields and list keys of jobs, with kube-openapi's messages.
#include "local/api/schema_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/text.h"
#include "local/api/object_meta.h"
#include "local/api/schema_decode.h"

namespace trainctl::local {

using job::FieldShape;
using job::Form;
using job::ObjectShape;
using job::Shape;

namespace {

constexpr std::string_view k_quantity_pattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

// JSON that Go reads as a whole number: 1.0 is one, 1.5 and 1e300 are none.
bool is_whole(const Json& value) {
  if (value.is_number_integer()) return int_at(value, "").has_value();
  if (!value.is_number_float()) return false;
  constexpr double k_exact = 9007199254740992.0;
  const double number = value.get<double>();
  return std::abs(number) < k_exact && std::trunc(number) == number;
}

std::string_view type_name(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "boolean";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return value.is_number_float() || !int_at(value, "") ? "number" : "integer";
}

std::string_view wanted_type(Form form) {
  switch (form) {
    case Form::text:
    case Form::bytes:
      return "string";
    case Form::int32:
    case Form::int64:
      return "integer";
    case Form::number:
      return "number";
    case Form::boolean:
      return "boolean";
    case Form::quantity:
    case Form::int_or_string:
      return "integer,string";
    case Form::list:
      return "array";
    case Form::anything:
    case Form::object:
    case Form::map:
      return "object";
  }
  return "";
}

bool fits(const Json& value, Form form) {
  const std::string_view is = is_whole(value) ? "integer" : type_name(value);
  if (form == Form::number) return is == "integer" || is == "number";
  if (form == Form::quantity || form == Form::int_or_string) {
    return is == "integer" || is == "string";
  }
  return is == wanted_type(form);
}

// Digits with at most one point, and at least one digit; moves `text` behind them.
bool take_decimal(std::string_view& text) {
  const std::size_t whole = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(whole);
  if (!text.starts_with('.')) return whole > 0;
  text.remove_prefix(1);
  const std::size_t fraction = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(fraction);
  return whole > 0 || fraction > 0;
}

void take_sign(std::string_view& text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

// k_quantity_pattern by hand: std::regex recurses per character.
bool matches_quantity(std::string_view text) {
  take_sign(text);
  if (!take_decimal(text)) return false;
  if (text.empty()) return true;
  if (text.size() == 2 && text[1] == 'i') return is_one_of(text[0], "KMGTPE");
  if (text.size() == 1) return is_one_of(text[0], "numkMGTPE");
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  take_sign(text);
  return take_decimal(text) && text.empty();
}

class Checker {
 public:
  void any(const Json& value, const Shape& shape, const std::string& path) {
    if (!fits(value, shape.form)) return misfit(value, shape, path);
    switch (shape.form) {
      case Form::quantity:
        return quantity(value, path);
      case Form::object:
        return object(value, *shape.object, path);
      case Form::list:
        for (std::size_t i = 0; i < value.size(); ++i) {
          any(value[i], *shape.element, cat(path, '[', i, ']'));
        }
        return;
      case Form::map:
        for (const auto& [key, element] : value.items()) {
          any(element, *shape.element, child_path(path, key));
        }
        return;
      default:
        return;
    }
  }

  void object(const Json& value, const ObjectShape& shape, const std::string& path) {
    for (const auto& [key, field] : value.items()) {
      if (path.empty() && key == "metadata") continue;
      const FieldShape* known = shape.field(key);
      if (known != nullptr) any(field, known->shape, child_path(path, key));
    }
    for (const FieldShape& field : shape.fields) {
      if (field.required && !value.contains(field.name)) {
        faults.push_back({child_path(path, field.name), "Required value"});
      }
    }
  }

  std::vector<FieldFault> faults;

 private:
  void misfit(const Json& value, const Shape& shape, const std::string& path) {
    const std::string_view is = type_name(value);
    wrong_type(path, wanted_type(shape.form), is);
    const bool either = shape.form == Form::quantity || shape.form == Form::int_or_string;
    if (!either || value.is_null()) return;
    faults.push_back({"<nil>", cat("Invalid value: \"\": \"", path,
                                   "\" must validate at least one schema (anyOf)")});
    wrong_type(path, "integer", is);
  }

  void wrong_type(const std::string& path, std::string_view wanted, std::string_view is) {
    faults.push_back({path, cat("Invalid value: \"", is, "\": ", path, " in body must be of type ",
                                wanted, ": \"", is, '"')});
  }

  void quantity(const Json& value, const std::string& path) {
    if (!value.is_string() || matches_quantity(value.get_ref<const std::string&>())) return;
    faults.push_back({path, cat("Invalid value: ", dump(value), ": ", path,
                                " in body should match '", k_quantity_pattern, '\'')});
  }
};

class DuplicateFinder {
 public:
  void any(const Json& value, const Shape& shape, const std::string& path) {
    if (shape.form == Form::object && value.is_object()) object(value, *shape.object, path);
    if (shape.form == Form::map && value.is_object()) {
      for (const auto& [key, element] : value.items()) {
        any(element, *shape.element, cat(path, '[', key, ']'));
      }
    }
    if (shape.form == Form::list && value.is_array()) list(value, shape, path);
  }

  void object(const Json& value, const ObjectShape& shape, const std::string& path) {
    for (const auto& [key, field] : value.items()) {
      const FieldShape* known = shape.field(key);
      if (known != nullptr) any(field, known->shape, child_path(path, key));
    }
  }

  std::vector<FieldFault> faults;

 private:
  static Json identity(const Json& element, const Shape& shape) {
    if (shape.unique) return element;
    Json key = Json::object();
    for (const std::string& name : shape.keys) {
      const Json* part = find(element, "/" + name);
      if (part != nullptr) key[name] = *part;
    }
    return key;
  }

  // An element without keys hides what else is wrong with its list.
  bool scalar_element(const Json& value, const Shape& shape, const std::string& path) {
    for (std::size_t i = 0; !shape.keys.empty() && i < value.size(); ++i) {
      if (value[i].is_object() || value[i].is_null()) continue;
      Json shown = value[i];
      write_whole_numbers(shown);
      faults.push_back(invalid_value(cat(path, '[', i, ']'), shown,
                                     "must be an object for an array of list-type map"));
      return true;
    }
    return false;
  }

  void list(const Json& value, const Shape& shape, const std::string& path) {
    const bool all_differ =
        (shape.unique || !shape.keys.empty()) && !scalar_element(value, shape, path);
    std::vector<std::pair<std::string, int>> seen;
    for (std::size_t i = 0; all_differ && i < value.size(); ++i) {
      const std::string key = dump(identity(value[i], shape));
      const auto known =
          std::ranges::find_if(seen, [&](const auto& entry) { return entry.first == key; });
      if (known == seen.end()) {
        seen.emplace_back(key, 1);
      } else if (known->second++ == 1) {  // the server names the first repetition only
        faults.push_back({cat(path, '[', i, ']'), cat("Duplicate value: ", key)});
      }
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      any(value[i], *shape.element, cat(path, '[', i, ']'));
    }
  }
};

}  // namespace

std::vector<FieldFault> type_faults(const Json& object, const ObjectShape& shape) {
  Checker checker;
  checker.object(object, shape, "");
  return std::move(checker.faults);
}

std::vector<FieldFault> duplicate_faults(const Json& object, const ObjectShape& shape) {
  DuplicateFinder finder;
  finder.object(object, shape, "");
  return std::move(finder.faults);
}

}  // namespace trainctl::local
