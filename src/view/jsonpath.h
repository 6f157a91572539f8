// The part of kubectl's jsonpath that scripts use: text and {.a.b[0].c[*]} paths.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::view {

struct PathStep {
  std::string key;     // member; "" for an index
  long index = 0;      // counted from the end when negative
  bool every = false;  // [*]
};

class JsonPath {
 public:
  // The template's output for a value: several matches of a path are separated by blanks, strings
  // are unquoted, missing values print nothing.
  std::string text(const Json& value) const;

 private:
  friend Result<JsonPath> parse_jsonpath(std::string_view text);
  std::vector<std::variant<std::string, std::vector<PathStep>>> parts_;
};

// Parses a template; Code::usage for filters, ranges and functions, which trainctl does not
// support.
Result<JsonPath> parse_jsonpath(std::string_view text);

}  // namespace trainctl::view
