// Each field that a golden case shows in a report or a log line has its row in docs/reports.md,
// with its type.
#include "cli/output/report_fields.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/time.h"
#include "base/value/yaml.h"
#include "cases/golden_case.h"
#include "cases/page_tables.h"
#include "check/check_report.h"
#include "cli/options/config_keys.h"
#include "cli/output/schema.h"
#include "doctor/diagnosis.h"
#include "follow/failure_cause.h"
#include "status/state.h"
#include "status/workload.h"
#include "support/all_commands.h"
#include "support/json_schema.h"

namespace trainctl::testing {
namespace report_fields_test {

// All JSON values of a file: one, one a line, or YAML with the reports' version.
std::vector<Json> values_of(const std::string& content) {
  if (const auto whole = parse_json(content, "")) return {*whole};
  if (content.starts_with("apiVersion: trainctl/")) {
    if (const auto whole = from_yaml(content, "")) return {*whole};
  }
  std::vector<Json> values;
  for (const std::string& line : split(content, '\n')) {
    const auto value = line.starts_with('{') ? parse_json(line, "") : Result<Json>(Json());
    if (value && value->is_object()) values.push_back(*value);
  }
  return values;
}

bool fits(const Json& value, std::string_view type) {
  if (type == "text" || type == "word") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "true or false") return value.is_boolean();
  if (type.starts_with("list")) return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "any") return true;
  return type == "time" && value.is_string() && parse_time(value.get<std::string>());
}

class Walk {
 public:
  explicit Walk(const PageTable& rows) {
    for (const auto& cells : rows) {
      types_[cells.at(0)] = cells.at(1);
      if (cells.at(2) == "always") always_.insert(cells.at(0));
    }
  }

  void object(const Json& value, const std::string& path) {
    for (const std::string& each : always_) {
      const auto end = each.rfind('.');
      const bool is_own = each.substr(0, end) == path;
      if (is_own) CHECK_MESSAGE(value.contains(each.substr(end + 1)), cat(each, " is absent"));
    }
    for (const auto& [key, member] : value.items()) field(member, cat(path, '.', key));
  }

  // The fields of the table that no value had.
  std::string never_seen() const {
    std::vector<std::string> missing;
    for (const auto& [path, type] : types_) {
      if (!seen_.contains(path)) missing.push_back(path);
    }
    return join(missing, " ");
  }

 private:
  void field(const Json& value, const std::string& path) {
    seen_.insert(path);
    const auto type = types_.find(path);
    REQUIRE_MESSAGE(type != types_.end(), cat(path, " is in no row of docs/reports.md"));
    CHECK_MESSAGE(fits(value, type->second), cat(path, " is ", dump(value)));
    constexpr std::string_view k_of_others[] = {
        ".object",         ".earlierAttempts",  ".doctor",           ".manifest",       ".a", ".b",
        ".identity.extra", ".differences[*].a", ".differences[*].b", ".items[*].object"};
    if (std::ranges::find(k_of_others, path) != std::end(k_of_others)) return;
    if (value.is_object()) object(value, path);
    for (const Json& element : value.is_array() ? value : Json::array()) {
      if (element.is_object()) object(element, path + "[*]");
    }
  }

  std::map<std::string, std::string> types_;
  std::set<std::string> always_;
  std::set<std::string> seen_;
};

struct Walks {
  std::vector<PageTable> tables = tables_of_page("docs/reports.md");
  Walk reports{tables.at(0)};
  Walk lines{tables.at(1)};
  Walk usage{tables.at(2)};
  Walk metrics{tables.at(3)};
  Walk doctor{tables.at(4)};
  Walk runs{tables.at(5)};
  std::map<std::string, Walk> others = {
      {"RunComparison", Walk(tables.at(6))},      {"GpuHours", Walk(tables.at(7))},
      {"CheckReport", Walk(tables.at(8))},        {"Explanation", Walk(tables.at(9))},
      {"EnvironmentReport", Walk(tables.at(10))}, {"Identity", Walk(tables.at(11))},
      {"RuntimeReportList", Walk(tables.at(12))}};

  void run(Json value) {
    for (const char* part : {"metrics", "code"}) {
      if (!value.contains(part)) continue;
      reports.object(std::exchange(value[part], Json::object()), cat('.', part));
    }
    runs.object(value, "");
  }

  void value(const Json& value) {
    const std::string kind = text_at(value, "/kind");
    const bool ours = text_at(value, "/apiVersion") == "trainctl/v1";
    if (ours && kind == "DoctorReport") doctor.object(value, "");
    if (ours && kind == "JobReport") {
      reports.object(value, "");
      if (value.contains("doctor")) doctor.object(value["doctor"], "");
      for (const Json& earlier : array_at(value, "/earlierAttempts")) reports.object(earlier, "");
    }
    if (ours && kind == "JobReportList") {
      for (const Json& item : array_at(value, "/items")) reports.object(item, "");
    }
    if (ours && kind == "RunReport") run(value);
    if (ours && kind == "RunReportList") {
      for (const Json& item : array_at(value, "/items")) run(item);
    }
    if (ours && others.contains(kind)) others.at(kind).object(value, "");
    if (ours && kind.ends_with("UsageList")) usage.object(value, "");
    if (ours && kind == "MetricReportList") {
      Json outside = value;
      for (Json& item : outside["items"]) {
        reports.object(std::exchange(item["metrics"], Json::object()), ".metrics");
      }
      metrics.object(outside, "");
    }
    if (value.contains("subject")) reports.object(value, ".events[*]");
    if (!ours && value.contains("attempt")) lines.object(value, "");
  }
};

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

// All objects that a golden case prints or writes, with the case's name.
template <typename Use>
void each_object(Use use) {
  for (const std::string& name : case_names()) {
    INFO(name);
    const CaseFile file = read_case(name);
    for (const std::string& content : reports_of(file)) {
      for (const Json& value : values_of(content)) {
        if (value.is_object()) use(value);
      }
    }
  }
}

TEST_CASE("users can look up every field of a report and of a log line") {
  Walks walks;
  each_object([&walks](const Json& value) { walks.value(value); });
  CHECK(walks.reports.never_seen() == "");
  CHECK(walks.lines.never_seen() == "");
  CHECK(walks.usage.never_seen() == "");
  CHECK(walks.metrics.never_seen() == "");
  CHECK(walks.doctor.never_seen() == "");
  CHECK(walks.runs.never_seen() == "");
  for (const auto& [kind, walk] : walks.others) CHECK_MESSAGE(walk.never_seen() == "", kind);
}

std::map<std::string, Json> report_schemas() {
  cli::ConfigKeys keys(all_commands());
  std::map<std::string, Json> schemas;
  for (const std::string& name : cli::schema_names()) {
    if (name != "config") schemas[name] = *cli::schema_of(name, keys);
  }
  return schemas;
}

TEST_CASE("a pipeline tells reports apart by their schemas") {
  const std::map<std::string, Json> schemas = report_schemas();
  std::set<std::string> used;
  each_object([&](const Json& value) {
    const std::string kind = text_at(value, "/kind");
    const bool is_report = text_at(value, "/apiVersion") == "trainctl/v1" && kind != "Version";
    const bool is_line = value.contains("attempt") && value.contains("line");
    if (!is_report && !is_line) return;
    std::vector<std::string> fitting;
    std::string faults;
    for (const auto& [name, schema] : schemas) {
      const std::string fault = misfit(value, schema);
      if (fault.empty()) fitting.push_back(name);
      faults += fault.empty() ? "" : cat('\n', name, fault);
    }
    CHECK_MESSAGE(fitting.size() == 1, cat(kind, " fits ", join(fitting, " and "), faults));
    used.insert(fitting.begin(), fitting.end());
  });
  CHECK(used.size() == schemas.size());
}

// The first rows with these paths have the words of the program.
TEST_CASE("users read in the tables the words that the program has") {
  const auto words_at = [](std::size_t table, std::string_view path) {
    const std::vector<cli::ReportField> rows = cli::report_tables().at(table).fields;
    return join(cli::words_of(*std::ranges::find(rows, path, &cli::ReportField::path)), " ");
  };
  const auto names = [](auto name, auto first, auto last) {
    std::vector<std::string> all;
    for (int at = static_cast<int>(first); at <= static_cast<int>(last); ++at) {
      all.emplace_back(name(static_cast<decltype(first)>(at)));
    }
    return join(all, " ");
  };
  std::set<std::string> results;
  for (const ExitStatus& status : exit_statuses()) results.emplace(status.word);
  results.erase("unchecked");  // `check` alone ends so, and its report has no verdict
  const std::vector<std::string> listed = split(words_at(0, ".verdict.result"), ' ');
  CHECK(std::set<std::string>(listed.begin(), listed.end()) == results);
  CHECK(words_at(0, ".digest.causes") == join(texts_of(job::k_causes), " "));
  CHECK(words_at(0, ".phase") == names(job::phase_name, job::Phase::submitted, job::Phase::failed));
  CHECK(words_at(0, ".replicas[*].state") ==
        cat(names(job::run_state_name, job::RunState::missing, job::RunState::terminating), ' ',
            job::k_stopped));
  CHECK(words_at(4, ".situation") ==
        names(job::situation_name, job::Situation::not_seen, job::Situation::mixed));
  CHECK(words_at(4, ".confidence") ==
        names(job::confidence_name, job::Confidence::certain, job::Confidence::possible));
  CHECK(words_at(9, ".queue.admission") ==
        names(job::admission_name, job::Admission::waiting, job::Admission::finished));
}

}  // namespace report_fields_test
}  // namespace trainctl::testing
