// Each field that a golden case shows in a report, of usage as well, or a log line has its row in
// the table that users read, with its type.
#include "view/report_fields.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/time.h"
#include "base/value/yaml.h"
#include "cases/golden_case.h"

namespace trainctl::testing {
namespace TEST_FILE {

using view::FieldType;
using view::ReportField;

// All JSON values of a file: one, one a line, or YAML with the reports' version.
std::vector<Json> values_of(const std::string& content) {
  if (const auto whole = parse_json(content, "")) return {*whole};
  const bool is_yaml = content.starts_with("apiVersion: trainctl/");
  if (const auto whole = from_yaml(content, ""); is_yaml && whole) return {*whole};
  std::vector<Json> values;
  for (const std::string& line : split(content, '\n')) {
    const auto value = line.starts_with('{') ? parse_json(line, "") : Result<Json>(Json());
    if (value && value->is_object()) values.push_back(*value);
  }
  return values;
}

bool fits(const Json& value, FieldType type) {
  switch (type) {
    case FieldType::text:
      return value.is_string();
    case FieldType::number:
      return value.is_number();
    case FieldType::truth:
      return value.is_boolean();
    case FieldType::time:
      return value.is_string() && parse_time(value.get<std::string>()).has_value();
    case FieldType::list:
      return value.is_array();
    case FieldType::object:
      return value.is_object();
  }
  return false;
}

class Walk {
 public:
  explicit Walk(std::span<const ReportField> fields) : fields_(fields) {}

  void object(const Json& value, const std::string& path) {
    for (const auto& [key, member] : value.items()) field(member, cat(path, '.', key));
  }

  std::set<std::string> seen;

 private:
  void field(const Json& value, const std::string& path) {
    seen.insert(path);
    const auto row = std::find_if(fields_.begin(), fields_.end(),
                                  [&path](const ReportField& one) { return one.path == path; });
    REQUIRE_MESSAGE(row != fields_.end(), cat(path, " is in no row of src/view/report_fields.cpp"));
    CHECK_MESSAGE(fits(value, row->type), cat(path, " is ", dump(value)));
    if (path == ".object" || path == ".earlierAttempts") return;
    if (value.is_object()) object(value, path);
    for (const Json& element : value.is_array() ? value : Json::array()) {
      if (element.is_object()) object(element, path + "[*]");
    }
  }

  std::span<const ReportField> fields_;
};

struct Walks {
  Walk reports{view::report_fields()};
  Walk lines{view::log_fields()};
  Walk usage{view::usage_fields()};

  void value(const Json& value) {
    const std::string kind = text_at(value, "/kind");
    const bool ours = text_at(value, "/apiVersion") == "trainctl/v1";
    if (ours && kind == "JobReport") {
      reports.object(value, "");
      for (const Json& earlier : array_at(value, "/earlierAttempts")) reports.object(earlier, "");
    }
    if (ours && kind == "JobReportList") {
      for (const Json& item : array_at(value, "/items")) reports.object(item, "");
    }
    if (ours && kind.ends_with("UsageList")) usage.object(value, "");
    if (value.contains("subject")) reports.object(value, ".events[*]");
    if (!ours && value.contains("attempt")) lines.object(value, "");
  }
};

std::string never_seen(std::span<const ReportField> fields, const std::set<std::string>& seen) {
  std::vector<std::string> missing;
  for (const ReportField& field : fields) {
    if (!seen.contains(std::string(field.path))) missing.emplace_back(field.path);
  }
  return join(missing, " ");
}

// The JSON files and the stdout of a case, with the lines that it leaves out.
std::vector<std::string> reports_of(const CaseFile& file) {
  std::vector<std::string> reports = {file.text("stdout")};
  for (const auto& [path, content] : file.below("written")) {
    if (path.ends_with(".json")) reports.push_back(content);
  }
  const bool is_whole = std::ranges::none_of(reports, [](const std::string& report) {
    return report.find("apiVersion") != std::string::npos &&
           report.find(" lines]\n") != std::string::npos;
  });
  if (is_whole) return reports;
  const Outcome outcome = GoldenCase(file).run();
  reports = {outcome.out};
  for (const auto& [path, content] : outcome.written) {
    if (path.ends_with(".json")) reports.push_back(content);
  }
  return reports;
}

TEST_CASE("users can look up every field of a report, of a log line and of top") {
  Walks walks;
  for (const std::string& name : case_names()) {
    INFO(name);
    const CaseFile file = read_case(name);
    for (const std::string& content : reports_of(file)) {
      for (const Json& value : values_of(content)) {
        if (value.is_object()) walks.value(value);
      }
    }
  }
  CHECK(never_seen(view::report_fields(), walks.reports.seen) == "");
  CHECK(never_seen(view::log_fields(), walks.lines.seen) == "");
  CHECK(never_seen(view::usage_fields(), walks.usage.seen) == "");
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
