// Everything comes from the tables of the fields of reports.
#include "cli/output/schema.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "cli/output/config_schema.h"
#include "cli/output/report_fields.h"

namespace trainctl::cli {
namespace {

using Text = std::string_view;

constexpr Text k_draft = "https://json-schema.org/draft/2020-12/schema";
constexpr Text k_config = "config";
// In the order of report_tables().
constexpr auto k_reports = std::to_array<Text>(
    {"report", "log-line", "usage", "metrics", "doctor", "run", "comparison", "gpu-hours", "check",
     "explanation", "environment", "identity", "runtimes"});

// A field that is as that of another table; "" = as a whole report.
struct SameField {
  Text table, path;
  Text as_table, as_path;
};
constexpr auto k_same = std::to_array<SameField>({
    {"report", ".doctor", "doctor", ""},
    {"report", ".earlierAttempts", "report", ""},
    {"usage", ".items[*].phase", "report", ".phase"},
    {"usage", ".items[*].replicas[*].state", "report", ".replicas[*].state"},
    {"metrics", ".items[*].metrics", "report", ".metrics"},
    {"run", ".verdict.result", "report", ".verdict.result"},
    {"run", ".laterRuns[*].result", "report", ".verdict.result"},
    {"run", ".metrics", "report", ".metrics"},
    {"run", ".code", "report", ".code"},
    {"comparison", ".a", "run", ""},
    {"comparison", ".b", "run", ""},
    {"check", ".outcome", "check", ".findings[*].outcome"},
    {"explanation", ".phase", "report", ".phase"},
    {"explanation", ".laterRun.phase", "report", ".phase"},
});

const SameField* same_as(Text table, Text path) {
  const auto found = std::ranges::find_if(
      k_same, [&](const SameField& one) { return one.table == table && one.path == path; });
  return found == k_same.end() ? nullptr : &*found;
}

// "list of text", "list of lists of numbers"
Json list_schema(Text elements);

Json type_schema(Text type) {
  constexpr Text k_list_of = "list of ";
  constexpr Text k_lists_of = "lists of ";
  if (type == "text" || type == "word") return {{"type", "string"}};
  if (type == "time") return {{"type", "string"}, {"format", "date-time"}};
  if (type == "true or false") return {{"type", "boolean"}};
  if (type == "numbers") return {{"type", "number"}};
  if (type == "list") return {{"type", "array"}};
  if (type == "any") return Json::object();
  if (type.starts_with(k_list_of)) return list_schema(type.substr(k_list_of.size()));
  if (type.starts_with(k_lists_of)) return list_schema(type.substr(k_lists_of.size()));
  return {{"type", type}};
}

Json list_schema(Text elements) {
  return {{"type", "array"}, {"items", type_schema(elements)}};
}

// The schema of the object that has the field, made on the way: for ".replicas[*].name" that of an
// element of .replicas.
Json& owner_of(Json& schema, const std::string& path) {
  Json* at = &schema;
  std::vector<std::string> names = split(path.substr(1), '.');
  names.pop_back();
  for (std::string& name : names) {
    const bool is_list = name.ends_with("[*]");
    if (is_list) name.resize(name.size() - 3);
    at = &(*at)["properties"][name];
    if (!is_list) continue;
    at = &(*at)["items"];
    (*at)["type"] = "object";
  }
  return *at;
}

std::string last_name(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

// A schema in the making, with the parts that it refers to.
class Schema {
 public:
  // Refers to a table's report, or to the object of one field of it.
  Json reference(Text table, const std::string& path) {
    const std::string name = path.empty() ? kind_of(table) : last_name(path);
    if (!parts_.contains(name)) {
      parts_[name] = nullptr;  // it may refer to itself
      Json part = object(table, path);
      parts_[name] = std::move(part);
    }
    return {{"$ref", cat("#/$defs/", name)}};
  }

  // The object with the table's fields below the path.
  Json object(Text table, const std::string& path) {
    Json schema = {{"type", "object"}};
    for (const ReportField& field : rows(table)) {
      if (!field.path.starts_with(path + '.')) continue;
      Json own = field_schema(table, field);
      own["description"] = field.meaning;
      const std::string name = last_name(field.path);
      Json& owner = owner_of(schema, field.path.substr(path.size()));
      owner["properties"][name] = std::move(own);
      if (field.present_when == "always") owner["required"].push_back(name);
    }
    return schema;
  }

  // One report, or the list of several.
  Json one_or_list(Text table) {
    const Json one = reference(table, "");
    const std::string list = kind_of(table) + "List";
    Json of_list = {{"type", "object"}, {"required", Json::array({"apiVersion", "kind", "items"})}};
    of_list["properties"] = {{"apiVersion", word_schema(row(table, ".apiVersion"))},
                             {"kind", {{"const", list}}},
                             {"items", {{"type", "array"}, {"items", one}}}};
    parts_[list] = std::move(of_list);
    return {{"anyOf", Json::array({one, {{"$ref", cat("#/$defs/", list)}}})}};
  }

  Json with_parts(Json schema) && {
    if (!parts_.empty()) schema["$defs"] = std::move(parts_);
    return schema;
  }

 private:
  const std::vector<ReportField>& rows(Text table) const {
    const auto at = std::ranges::find(k_reports, table) - k_reports.begin();
    return tables_.at(static_cast<std::size_t>(at)).fields;
  }

  const ReportField& row(Text table, Text path) const {
    return *std::ranges::find(rows(table), path, &ReportField::path);
  }

  std::string kind_of(Text table) const { return words_of(row(table, ".kind")).front(); }

  static Json word_schema(const ReportField& field) {
    const std::vector<std::string> words = words_of(field);
    if (words.size() == 1) return {{"const", words.front()}};
    return {{"enum", words}};
  }

  Json field_schema(Text table, const ReportField& field) {
    const SameField* same = same_as(table, field.path);
    if (field.type == "list of words") return {{"type", "array"}, {"items", word_schema(field)}};
    if (field.type == "word")
      return word_schema(same == nullptr ? field : row(same->as_table, same->as_path));
    if (same == nullptr) return type_schema(field.type);
    Json other = reference(same->as_table, std::string(same->as_path));
    if (field.type != "list") return other;
    return {{"type", "array"}, {"items", std::move(other)}};
  }

  std::vector<ReportTable> tables_ = report_tables();
  Json parts_ = Json::object();
};

Json report_schema(Text name) {
  Schema schema;
  const bool has_list = name == "report" || name == "run";
  Json root = has_list ? schema.one_or_list(name) : schema.object(name, "");
  return std::move(schema).with_parts(std::move(root));
}

}  // namespace

std::vector<std::string> schema_names() {
  std::vector<std::string> names(k_reports.begin(), k_reports.end());
  names.emplace_back(k_config);
  return names;
}

std::optional<Json> schema_of(const std::string& name, options::Keys& keys) {
  Json schema = {{"$schema", k_draft}, {"title", cat("trainctl ", name)}};
  if (name == k_config) {
    schema.update(config_schema(keys));
    return schema;
  }
  if (std::ranges::find(k_reports, name) == k_reports.end()) return std::nullopt;
  schema.update(report_schema(name));
  return schema;
}

}  // namespace trainctl::cli
