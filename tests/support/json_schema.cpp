// Knows the keywords that our schemas have.
#include "support/json_schema.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/text/text.h"
#include "base/text/time.h"

namespace trainctl::testing {
namespace {

bool has_type(const Json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return type == "null" && value.is_null();
}

// Compiling a pattern takes long, and few are needed.
bool has_pattern(const std::string& text, const std::string& pattern) {
  static std::map<std::string, std::regex> compiled;
  const auto found = compiled.try_emplace(pattern, pattern).first;
  return std::regex_search(text, found->second);
}

class Fitting {
 public:
  explicit Fitting(const Json& root) : root_(root) {}

  // `known` gets the names of the members that some schema has looked at.
  std::string misfit(const Json& value, const Json& schema, const std::string& at,
                     std::set<std::string>& known) const {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : at + ": is not allowed";
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "unevaluatedProperties" || keyword == "additionalProperties") continue;
      std::string fault = by_keyword(value, keyword, rule, at, known);
      if (!fault.empty()) return fault;
    }
    return others(value, schema, at, known);
  }

 private:
  std::string by_keyword(const Json& value, const std::string& keyword, const Json& rule,
                         const std::string& at, std::set<std::string>& known) const {
    if (keyword == "$ref") return misfit(value, referred(rule), at, known);
    if (keyword == "anyOf") return any(value, rule, at, known);
    if (keyword == "properties") return members(value, rule, at, known);
    if (keyword == "patternProperties") return matching(value, rule, at, known);
    if (keyword == "items") return elements(value, rule, at);
    if (keyword == "required") return required(value, rule, at);
    return simple(value, keyword, rule) ? "" : cat(at, ": ", dump(value), " is not ", dump(rule));
  }

  static bool simple(const Json& value, const std::string& keyword, const Json& rule) {
    constexpr std::string_view k_notes[] = {"$schema", "title", "description", "$defs"};
    if (std::ranges::find(k_notes, keyword) != std::end(k_notes)) return true;
    if (keyword == "const") return value == rule;
    if (keyword == "enum") return std::ranges::find(rule, value) != rule.end();
    if (keyword == "minimum") return !value.is_number() || value >= rule;
    if (keyword == "minProperties") return !value.is_object() || value.size() >= rule;
    if (keyword == "minLength") return !value.is_string() || !value.get<std::string>().empty();
    if (keyword == "format")
      return !value.is_string() || parse_time(value.get<std::string>()).has_value();
    if (keyword == "pattern")
      return !value.is_string() || has_pattern(value.get<std::string>(), rule.get<std::string>());
    if (keyword != "type") throw std::logic_error("unknown keyword: " + keyword);
    const Json types = rule.is_array() ? rule : Json::array({rule});
    return std::ranges::any_of(
        types, [&value](const Json& type) { return has_type(value, type.get<std::string>()); });
  }

  const Json& referred(const Json& rule) const {
    return root_.at(Json::json_pointer(rule.get<std::string>().substr(1)));
  }

  std::string any(const Json& value, const Json& rule, const std::string& at,
                  std::set<std::string>& known) const {
    std::vector<std::string> faults;
    for (const Json& one : rule) {
      faults.push_back(misfit(value, one, at, known));
      if (faults.back().empty()) return "";
    }
    return join(faults, "; ");
  }

  std::string members(const Json& value, const Json& rule, const std::string& at,
                      std::set<std::string>& known) const {
    for (const auto& [name, schema] : rule.items()) {
      if (!value.is_object() || !value.contains(name)) continue;
      std::string fault = member(value, name, schema, at, known);
      if (!fault.empty()) return fault;
    }
    return "";
  }

  std::string matching(const Json& value, const Json& rule, const std::string& at,
                       std::set<std::string>& known) const {
    if (!value.is_object()) return "";
    for (const auto& [pattern, schema] : rule.items()) {
      for (const auto& [name, own] : value.items()) {
        if (!has_pattern(name, pattern)) continue;
        std::string fault = member(value, name, schema, at, known);
        if (!fault.empty()) return fault;
      }
    }
    return "";
  }

  std::string member(const Json& value, const std::string& name, const Json& schema,
                     const std::string& at, std::set<std::string>& known) const {
    known.insert(name);
    std::set<std::string> inside;
    return misfit(value[name], schema, cat(at, '/', name), inside);
  }

  std::string elements(const Json& value, const Json& rule, const std::string& at) const {
    if (!value.is_array()) return "";
    for (std::size_t place = 0; place < value.size(); ++place) {
      std::set<std::string> inside;
      std::string fault = misfit(value[place], rule, cat(at, '/', place), inside);
      if (!fault.empty()) return fault;
    }
    return "";
  }

  static std::string required(const Json& value, const Json& rule, const std::string& at) {
    for (const Json& name : rule) {
      const bool lacks = value.is_object() && !value.contains(name.get<std::string>());
      if (lacks) return cat(at, ": lacks ", name.get<std::string>());
    }
    return "";
  }

  // The members that nothing else has looked at.
  std::string others(const Json& value, const Json& schema, const std::string& at,
                     const std::set<std::string>& known) const {
    for (const char* keyword : {"unevaluatedProperties", "additionalProperties"}) {
      if (!schema.contains(keyword) || !value.is_object()) continue;
      for (const auto& [name, own] : value.items()) {
        if (known.contains(name)) continue;
        std::set<std::string> inside;
        std::string fault = misfit(own, schema[keyword], cat(at, '/', name), inside);
        if (!fault.empty()) return fault;
      }
    }
    return "";
  }

  const Json& root_;
};

}  // namespace

std::string misfit(const Json& value, const Json& root) {
  std::set<std::string> known;
  return Fitting(root).misfit(value, root, "", known);
}

}  // namespace trainctl::testing
