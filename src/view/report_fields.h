// The table of the JSON fields that scripts read: reports of jobs and of usage, and lines of logs.
#pragma once

#include <span>
#include <string_view>

namespace trainctl::view {

enum class FieldType { text, number, truth, time, list, object };
std::string_view type_name(FieldType type);  // "text", …; times are RFC 3339 in UTC

struct ReportField {
  std::string_view path;  // ".replicas[*].exitCode", as -o jsonpath and custom-columns take it
  FieldType type;
  std::string_view present;  // when the field is present; "" = always
  std::string_view meaning;
};

// The fields of a JobReport ("trainctl/v1"). The API defines those of .object.
std::span<const ReportField> report_fields();
// The fields of a line of `logs -o json`.
std::span<const ReportField> log_fields();
// The fields of a JobUsageList and of a NodeUsageList, as `top -o json` prints them.
std::span<const ReportField> usage_fields();

}  // namespace trainctl::view
