// The shape of a value follows from the option's type; that of a job flag from the name of its
// value, which the help shows: N, DURATION, Running|All|None.
#include "cli/output/config_schema.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "manifest/flags/flags.h"
#include "manifest/kind/kind.h"
#include "options/table/defaults.h"
#include "options/table/rows.h"

namespace trainctl::cli {
namespace {

using Text = std::string_view;

constexpr Text k_whole = "-?[0-9]+";
constexpr Text k_count = "[0-9]+";
constexpr Text k_duration =
    "[0-9]+|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|\u00B5s|\u03BCs|ms|s|m|h|d|w))+";
constexpr Text k_quantity =
    "\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?";

Json reference(Text part) {
  return {{"$ref", cat("#/$defs/", part)}};
}

std::string whole_text(Text pattern) {
  return cat("^(", pattern, ")$");
}

// Members of arrays fill {NAME} in job flags.
std::string job_text(Text pattern) {
  return cat(whole_text(pattern), "|\\{[^{}]+\\}");
}

// YAML reads 8 as a number; `type`: integer or number.
Json number_schema(Text type, const std::string& pattern) {
  return {{"type", Json::array({"string", type})}, {"pattern", pattern}};
}

Json least(int minimum, Json schema) {
  schema["minimum"] = minimum;
  return schema;
}

// "yes" in any spelling: "[Yy][Ee][Ss]".
std::string any_case(Text word) {
  std::string pattern;
  for (const char c : word) {
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    pattern += upper == c ? std::string{c} : std::string{'[', upper, c, ']'};
  }
  return pattern;
}

// As switch_word() takes them.
Json switch_schema() {
  std::vector<std::string> words;
  for (const Text word : {"true", "false", "yes", "no", "on", "off", "0", "1"}) {
    words.push_back(any_case(word));
  }
  const Json text = {{"type", "string"}, {"pattern", whole_text(join(words, "|"))}};
  return {{"anyOf", Json::array({{{"type", "boolean"}}, {{"enum", Json::array({0, 1})}}, text})}};
}

// Parts that several keys share.
Json shared_parts() {
  return {{"text", {{"type", Json::array({"string", "number", "boolean"})}, {"minLength", 1}}},
          {"switch", switch_schema()},
          {"whole-number", number_schema("integer", whole_text(k_whole))},
          {"count", least(0, number_schema("integer", job_text(k_count)))},
          {"duration", least(0, number_schema("integer", whole_text(k_duration)))},
          {"job-duration", least(0, number_schema("integer", job_text(k_duration)))},
          {"quantity", least(0, number_schema("number", job_text(k_quantity)))}};
}

// YAML reads the words 8 and true as other types than text.
void add_word(Json& words, const std::string& word) {
  words.push_back(word);
  const Json value = Json::parse(word, nullptr, false);
  if (value.is_number() || value.is_boolean()) words.push_back(value);
}

Json choice_schema(const options::ConfigKey& key) {
  const std::vector<std::string> all = key.row.words.texts();
  Json words = Json::array();
  for (const std::string& word : all) add_word(words, word);
  if (!key.row.bare.empty()) add_word(words, "true");
  if (!key.repeatable) return {{"enum", std::move(words)}};
  const std::string one = cat('(', join(all, "|"), ')');
  return {{"type", "string"}, {"pattern", cat('^', one, "(,", one, ")*$")}};
}

// A word that is typed as it stands, and no name of a value: Running, but not SIZE.
bool is_literal(Text part) {
  const bool is_word = std::ranges::all_of(
      part, [](unsigned char c) { return is_letter_or_digit(static_cast<char>(c)) || c == '-'; });
  return is_word && std::ranges::any_of(part, [](char c) { return c >= 'a' && c <= 'z'; });
}

// "Running|All|None", "auto|cpu|gpu|N"; null for any other name.
Json alternatives(Text value_name) {
  bool takes_number = false;
  std::vector<std::string> patterns;
  for (const std::string& part : split(value_name, '|')) {
    const bool is_number = part == "N";
    if (!is_number && !is_literal(part)) return Json();
    takes_number = takes_number || is_number;
    patterns.push_back(is_number ? std::string(k_count) : part);
  }
  const std::string pattern = job_text(join(patterns, "|"));
  if (takes_number) return least(0, number_schema("integer", pattern));
  return {{"type", "string"}, {"pattern", pattern}};
}

Json job_value_schema(Text value_name) {
  if (value_name == "N") return reference("count");
  if (value_name == "DURATION") return reference("job-duration");
  if (value_name == "SIZE" || value_name == "CPUS") return reference("quantity");
  Json words = alternatives(value_name);
  return words.is_null() ? reference("text") : words;
}

// Words, and beginnings of words: "json jsonpath=".
Json format_schema(Text offers) {
  std::vector<std::string> patterns;
  for (const std::string& word : split(offers, ' ')) {
    patterns.push_back(word.ends_with('=') ? word + ".+" : word);
  }
  return {{"type", "string"}, {"pattern", whole_text(join(patterns, "|"))}};
}

Json one_value(const options::ConfigKey& key) {
  using options::Type;
  if (key.value_name.empty()) return reference("switch");
  if (!key.row.words.texts().empty()) return choice_schema(key);
  if (key.row.type == Type::count) return reference("whole-number");
  if (key.row.type == Type::duration) return reference("duration");
  if (key.row.type == Type::job_value) return job_value_schema(key.value_name);
  const bool has_formats = key.row.offers.find(' ') != std::string_view::npos;
  return has_formats ? format_schema(key.row.offers) : reference("text");
}

Json value_schema(const options::ConfigKey& key) {
  Json one = one_value(key);
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

// The flags of one role, such as worker-memory.
Json role_flags(options::Keys& keys) {
  const std::vector<std::string> roles = options::role_prefixes(nullptr);
  Json patterns = Json::object();
  for (const job::Flag& flag : job::flags()) {
    const auto key = keys.find("", cat(roles.front(), '-', flag.name));
    if (!job::per_role(flag) || !key) continue;
    patterns[cat("^(", join(roles, "|"), ")-", flag.name, '$')] = value_schema(*key);
  }
  return {{"patternProperties", std::move(patterns)}};
}

// The section of a command; what a key has in common with the top level is said there.
Json section_schema(options::Keys& keys, const std::string& section, const Json& top) {
  Json properties = keys_schema(keys, section);
  for (auto& [name, schema] : properties.items()) {
    const auto same = top.find(name);
    const bool is_same = same != top.end() && *same == schema;
    if (is_same) schema = reference("settings/properties/" + name);
  }
  Json whole = {{"type", "object"}};
  if (options::has_job_flags(section)) whole.update(reference("role-flags"));
  whole["properties"] = std::move(properties);
  whole["unevaluatedProperties"] = false;
  return whole;
}

// Settings of the top level and of presets. Sections that presets may not have go to `others`.
Json settings_schema(options::Keys& keys, Json& others) {
  const Json top = keys_schema(keys, "");
  Json settings = reference("role-flags");
  settings["properties"] = top;
  for (const std::string& section : keys.sections()) {
    Json own = section_schema(keys, section, top);
    if (top.contains(section)) {  // `env` is a command as well as a flag
      settings["properties"][section] = {{"anyOf", Json::array({top[section], own})}};
    } else {
      Json& place = options::reads_submit_keys(section) ? settings["properties"] : others;
      place[section] = std::move(own);
    }
  }
  return settings;
}

Json preset_schema() {
  Json preset = {{"type", "object"}, {"minProperties", 1}};
  preset.update(reference("settings"));
  preset["properties"] = {{"preset", false}, {"tree-config", false}};
  preset["unevaluatedProperties"] = false;
  return preset;
}

}  // namespace

Json config_schema(options::Keys& keys) {
  Json properties = Json::object();
  Json parts = {{"settings", settings_schema(keys, properties)}};
  parts["role-flags"] = role_flags(keys);
  parts.update(shared_parts());
  properties[options::k_multikueue] = {
      {"type", "object"},
      {"properties",
       {{"contexts", {{"type", "object"}, {"additionalProperties", reference("text")}}}}},
      {"required", Json::array({"contexts"})},
      {"additionalProperties", false}};
  properties[options::k_presets] = {{"type", "object"}, {"additionalProperties", preset_schema()}};
  // A file of comments alone holds nothing.
  Json whole = {{"type", Json::array({"object", "null"})}};
  whole.update(reference("settings"));
  whole["properties"] = std::move(properties);
  whole["unevaluatedProperties"] = false;
  whole["$defs"] = std::move(parts);
  return whole;
}

}  // namespace trainctl::cli
