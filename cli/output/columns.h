// A user's own columns and order of jobs: paths into a job's report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/output/jsonpath.h"

namespace trainctl::cli {

// A path into the report, or, as kubectl's users write it, into the API object inside it:
// `.phase`, `{.replicas[*].node}`, `.metadata.creationTimestamp`.
class ReportField {
 public:
  explicit ReportField(JsonPath path) : path_(std::move(path)) {}
  std::string of(const Json& report) const;

 private:
  JsonPath path_;
};

struct Column {
  std::string header;
  ReportField field;
};

// "NAME:.name,NODE:.replicas[*].node". Code::usage names what cannot be read.
Result<std::vector<Column>> parse_columns(std::string_view text);

// The order that `--sort-by` asks for: a heading of the table in any case, or a path. Numbers
// compare as numbers. Returns the places of `reports` in the new order.
Result<ReportField> parse_sort_field(const std::string& text);
std::vector<std::size_t> sorted_by(const ReportField& field, const std::vector<Json>& reports);

}  // namespace trainctl::cli
