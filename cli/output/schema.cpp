// Everything comes from the tables: of the fields of reports, and of the options.
#include "cli/output/schema.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text/text.h"
#include "cli/output/report_fields.h"
#include "manifest/kind/kind.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_draft = "https://json-schema.org/draft/2020-12/schema";
constexpr std::string_view k_config = "config";
// In the order of report_tables().
constexpr auto k_reports = std::to_array<std::string_view>(
    {"report", "log-line", "usage", "metrics", "doctor", "run", "comparison", "gpu-hours", "check",
     "explanation", "environment", "identity", "runtimes"});

Json type_schema(const std::string& type) {
  if (type == "text") return {{"type", "string"}};
  if (type == "time") return {{"type", "string"}, {"format", "date-time"}};
  if (type == "true or false") return {{"type", "boolean"}};
  if (type == "list") return {{"type", "array"}};
  if (type == "any") return Json::object();
  return {{"type", type}};
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

Json table_schema(const ReportTable& table) {
  Json schema = {{"type", "object"}};
  for (const ReportField& field : table.fields) {
    const std::string name = field.path.substr(field.path.rfind('.') + 1);
    Json& owner = owner_of(schema, field.path);
    Json own = type_schema(field.type);
    own["description"] = field.meaning;
    owner["properties"][name] = std::move(own);
    if (field.present_when == "always") owner["required"].push_back(name);
  }
  return schema;
}

// One report, or the list of several. `kind`: "JobReport".
Json one_or_list(const ReportTable& table, std::string_view kind) {
  const std::string of_list = cat(kind, "List");
  const Json one = {{"$ref", cat("#/$defs/", kind)}};
  Json list = {{"type", "object"}, {"required", Json::array({"apiVersion", "kind", "items"})}};
  list["properties"]["kind"] = {{"const", of_list}};
  list["properties"]["items"] = {{"type", "array"}, {"items", one}};
  Json schema;
  schema["anyOf"] = Json::array({one, {{"$ref", cat("#/$defs/", of_list)}}});
  schema["$defs"] = {{std::string(kind), table_schema(table)}, {of_list, std::move(list)}};
  return schema;
}

// YAML reads 8 and true as other types than text.
Json any_word() {
  return {{"type", Json::array({"string", "number", "boolean"})}};
}

Json value_schema(const options::ConfigKey& key) {
  if (key.value_name.empty()) return {{"type", "boolean"}};
  const std::vector<std::string> words = key.row.words.texts();
  Json one = words.empty() ? any_word() : Json{{"enum", words}};
  if (!key.repeatable) return one;
  const Json list = {{"type", "array"}, {"items", one}};
  return {{"anyOf", Json::array({std::move(one), list})}};
}

Json keys_schema(options::Keys& keys, const std::string& section) {
  Json properties = Json::object();
  for (const std::string& name : keys.names(section)) {
    const auto key = keys.find(section, name);
    const bool is_secret = key && key->row.connection == options::ConnectionRole::secret;
    if (!key || is_secret) continue;
    properties[name] = value_schema(*key);
    if (!key->row.help.empty()) properties[name]["description"] = std::string(key->row.help);
  }
  return properties;
}

// "^(master|worker)-": a flag of one role, such as worker-memory.
std::string role_pattern() {
  std::set<std::string> roles;
  for (const job::Kind& kind : job::kinds()) {
    for (const job::Role& role : kind.roles) roles.insert(lower(role.name));
  }
  return cat("^(", join(std::vector<std::string>(roles.begin(), roles.end()), "|"), ")-");
}

// The section of a command; what a key has in common with the top level is said there.
Json section_schema(options::Keys& keys, const std::string& section, const Json& top) {
  Json properties = keys_schema(keys, section);
  for (auto& [name, schema] : properties.items()) {
    const auto same = top.find(name);
    const bool is_same = same != top.end() && *same == schema;
    if (is_same) schema = {{"$ref", cat("#/$defs/settings/properties/", name)}};
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"patternProperties", {{role_pattern(), any_word()}}},
          {"additionalProperties", false}};
}

Json config_schema(options::Keys& keys) {
  const Json top = keys_schema(keys, "");
  Json settings = {{"type", "object"},
                   {"properties", top},
                   {"patternProperties", {{role_pattern(), any_word()}}}};
  for (const std::string& section : keys.sections()) {
    Json& place = settings["properties"][section];
    Json own = section_schema(keys, section, top);
    // `env` is a command as well as a flag.
    place = place.is_null() ? std::move(own) : Json{{"anyOf", Json::array({place, own})}};
  }
  const Json only_settings = {{"$ref", "#/$defs/settings"}, {"unevaluatedProperties", false}};
  Json whole = only_settings;
  whole["properties"][options::k_multikueue]["properties"]["contexts"] = {
      {"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  whole["properties"][options::k_presets] = {{"type", "object"},
                                             {"additionalProperties", only_settings}};
  whole["$defs"]["settings"] = std::move(settings);
  return whole;
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
  const auto found = std::ranges::find(k_reports, name);
  if (found == k_reports.end()) return std::nullopt;
  const ReportTable table = report_tables().at(static_cast<std::size_t>(found - k_reports.begin()));
  schema.update(name == "report" ? one_or_list(table, "JobReport")
                : name == "run"  ? one_or_list(table, "RunReport")
                                 : table_schema(table));
  return schema;
}

}  // namespace trainctl::cli
