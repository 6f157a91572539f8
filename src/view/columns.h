// Columns and sort order that the user chooses: paths into a job's report.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::view {

// The part of kubectl's jsonpath that scripts use: text and {.a.b[0].c[*]} paths.
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

// A path into the report, or, as users of kubectl write it, into the API object inside it:
// `.phase`, `{.replicas[*].node}`, `.metadata.creationTimestamp`.
class FieldPath {
 public:
  explicit FieldPath(JsonPath path) : path_(std::move(path)) {}
  std::string of(const Json& report) const;

 private:
  JsonPath path_;
};

struct Column {
  std::string header;
  FieldPath field;
};

// Parses "NAME:.name,NODE:.replicas[*].node". Code::usage names the part that cannot be parsed.
Result<std::vector<Column>> parse_columns(std::string_view text);

// Parses the value of `--sort-by`: a heading of the table in any case, or a path. sorted_by()
// compares numbers as numbers and returns the indices of `reports` in the new order.
Result<FieldPath> parse_sort_field(const std::string& text);
std::vector<std::size_t> sorted_by(const FieldPath& field, const std::vector<Json>& reports);

}  // namespace trainctl::view
