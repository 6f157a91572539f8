// Editors mark in a configuration file what trainctl would refuse, and nothing that it accepts.
#include "cli/output/config_schema.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/config_text.h"
#include "cli/options/config_keys.h"
#include "cli/output/schema.h"
#include "manifest/flags/flags.h"
#include "options/settings/settings.h"
#include "support/all_commands.h"
#include "support/json_schema.h"

namespace trainctl::testing {
namespace config_schema_test {

const Json& schema() {
  static const Json made = [] {
    cli::ConfigKeys keys(all_commands());
    return *cli::schema_of("config", keys);
  }();
  return made;
}

// Why the program refuses a file; "" = it accepts it.
std::string refusal(const std::string& text) {
  static cli::ConfigKeys keys(all_commands());
  const Environment environment;
  const auto settings =
      options::file_settings({options::Source::user, "/c.yaml"}, text, environment, keys);
  if (!settings) return settings.error().message;
  for (const options::Setting& setting : *settings) {
    if (setting.section == options::k_worker_contexts) continue;
    for (const std::string& value : setting.values) {
      const std::string fault = keys.complaint(setting.section, setting.key, value);
      if (!fault.empty()) return fault;
    }
  }
  return "";
}

std::string marked(const std::string& text) {
  const auto config = parse_config(text, "/c.yaml");
  REQUIRE_MESSAGE(config, text);
  return misfit(*config, schema());
}

TEST_CASE("an editor marks in a configuration what the program would refuse") {
  for (const char* text : {
           "workers: many",
           "workers: 1.5",
           "workers: -1",
           "workers: '+3'",
           "worker-memory: lots",
           "worker-nonsense: 1",
           "memory: lots",
           "cpu: -1",
           "timeout: soon",
           "timeout: 1_000",
           "active-deadline: soon",
           "retry: often",
           "restart-policy: Sometimes",
           "clean-pod-policy: [All]",
           "nproc-per-node: all",
           "rdzv-backend: zookeeper",
           "on-give-up: nothing",
           "quiet: maybe",
           "get: {output: nonsense}",
           "get: {watch: maybe}",
           "get: 5",
           "get: {workers: 2}",
           "rbac: {for: 'submit,dance'}",
           "submit-pytorch: {ps: 1}",
           "multikueue: 5",
           "multikueue: {}",
           "multikueue: {contexts: {}, more: 1}",
           "presets: {a: {}}",
           "presets: {a: {preset: b}}",
           "presets: {a: {tree-config: off}}",
           "presets: {a: {get: {output: wide}}}",
           "image: ''",
           "image:",
           "label: {a: b}",
           "nonsense: 1",
           "policy: {}",
       }) {
    INFO(text);
    CHECK(refusal(text) != "");
    CHECK(marked(text) != "");
  }
}

TEST_CASE("an editor marks nothing that the program accepts") {
  for (const char* text : {
           "",
           "# nothing yet",
           "{}",
           "quiet: 'yes'",
           "quiet: Off",
           "quiet: 1",
           "workers: 2",
           "workers: '03'",
           "memory: 8Gi",
           "memory: 1e9",
           "cpu: 0.5",
           "cpu: .5",
           "cpu: +2",
           "timeout: 90",
           "timeout: 1h30m",
           "timeout: 1.5h",
           "dry-run: true",
           "dry-run: server",
           "nproc-per-node: gpu",
           "nproc-per-node: 8",
           "restart-policy: OnFailure",
           "worker-restart-policy: OnFailure",
           "image: 5",
           "env: A=1",
           "env: [A=1, B=2]",
           "label: []",
           "get: {}",
           "get: {output: 'jsonpath={.phase}', watch: 'no'}",
           "rbac: {for: 'submit,follow'}",
           "rbac: {for: [submit, follow]}",
           "history: {by: label=team}",
           "submit-tf: {ps: 1, ps-memory: 1Gi}",
           "multikueue: {contexts: {a: b}}",
           "presets: {}",
           "presets: {a: {gpu: 8, submit-tf: {ps: 2}}}",
       }) {
    INFO(text);
    CHECK(refusal(text) == "");
    CHECK(marked(text) == "");
  }
  // A member of an array fills it: `config view` cannot know, but a submission accepts it.
  CHECK(marked("memory: '{m}Gi'") == "");
}

// A key that means the same at the top level is tried there.
bool is_own(const std::string& section, const std::string& key) {
  const Json* const of_section = find(schema(), cat("/properties/", section, "/properties/", key));
  const Json* const ref = of_section == nullptr ? nullptr : find(*of_section, "/$ref");
  return section.empty() ||
         (of_section != nullptr &&
          (ref == nullptr || !text_at(*of_section, "/$ref").starts_with("#/$defs/settings/")));
}

// Values of each shape, as they stand in a file.
TEST_CASE("of each key, an editor marks no value that the program accepts") {
  cli::ConfigKeys keys(all_commands());
  std::vector<std::string> sections = keys.sections();
  sections.emplace_back("");
  int marks = 0;
  for (const std::string& section : sections) {
    for (const std::string& key : keys.names(section)) {
      if (!is_own(section, key)) continue;
      for (const char* value : {"1", "0", "03", "2.5", "true", "'false'", "'off'", "8Gi", "30s",
                                "1h30m", "wide", "json", "All", "never", "name", "a=b", "x"}) {
        const std::string line = cat(key, ": ", value);
        const std::string text = section.empty() ? line : cat(section, ":\n  ", line);
        const std::string mark = marked(text);
        marks += mark.empty() ? 0 : 1;
        const job::Flag* flag = job::find_flag(key);
        // The program refuses these only when the command runs.
        const bool is_late = key == "request-timeout" || key == "by";
        const bool is_unchecked = is_late || (flag != nullptr && flag->check == nullptr);
        if (mark.empty() || is_unchecked) continue;
        CHECK_MESSAGE(refusal(text) != "", cat(text, " is marked: ", mark));
      }
    }
  }
  CHECK(marks > 0);
}

}  // namespace config_schema_test
}  // namespace trainctl::testing
