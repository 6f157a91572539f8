// THE TABLE of what stands in the JSON that scripts read: reports of jobs, and lines of logs.
#pragma once

#include <span>
#include <string_view>

namespace trainctl::cli {

enum class FieldType { text, number, truth, time, list, object };
std::string_view type_name(FieldType type);  // "text", …; times are RFC 3339 in UTC

struct ReportField {
  std::string_view path;  // ".replicas[*].exitCode", as -o jsonpath and custom-columns take it
  FieldType type;
  std::string_view present;  // when it is there; "" = always
  std::string_view meaning;
};

// A JobReport ("trainctl/v1"). What .object holds is the API's.
std::span<const ReportField> report_fields();
// A line of `logs -o json`.
std::span<const ReportField> log_fields();

}  // namespace trainctl::cli
