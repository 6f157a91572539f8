// Reads the content of one configuration file, and refuses forbidden settings.
#include <algorithm>

#include "base/text/text.h"
#include "base/value/config_text.h"
#include "manifest/flags/flags.h"
#include "manifest/kind/names.h"
#include "options/settings/settings.h"
#include "options/table/defaults.h"
#include "options/table/flag_synonyms.h"

namespace trainctl::options {
namespace {

Error bad_setting(const Setting& setting, std::string_view why, std::string hint = "") {
  return {Code::usage, cat(setting.origin, ": ", setting.spelled(), why), std::move(hint)};
}

// One value as it would be typed; nullopt when it is not a scalar, or empty.
std::optional<std::string> typed_text(const Json& value) {
  if (value.is_string()) {
    auto text = value.get<std::string>();
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  }
  if (value.is_boolean() || value.is_number()) return dump(value);
  return std::nullopt;
}

Result<std::vector<std::string>> typed_values(const Setting& setting, const Json& value) {
  if (value.is_array() && !setting.facts.repeatable) {
    return bad_setting(setting, " takes one value, not a list");
  }
  std::vector<std::string> values;
  for (const Json& each : value.is_array() ? value : Json::array({value})) {
    const auto text = typed_text(each);
    if (!text && each.is_object()) {
      return bad_setting(setting, " takes no mapping",
                         setting.facts.repeatable ? "write a list: [A, B]" : "write one value");
    }
    if (!text) return bad_setting(setting, " has no value", "write one, or remove the line");
    values.push_back(setting.facts.value_name.empty() ? switch_word(*text) : *text);
  }
  return values;
}

// A path in a file is relative to that file's directory; ~/ is expanded as a shell would.
void resolve_paths(Setting& setting, const std::string& file, const Environment& environment) {
  if (setting.facts.row.type != Type::path) return;
  for (std::string& value : setting.values) {
    if (value == "-") continue;
    if (value.starts_with("~/")) value = environment.text("HOME") + value.substr(1);
    value = resolve_path(directory_of(file), value);
  }
}

Status check_allowed(const Setting& setting) {
  if (setting.facts.row.connection == ConnectionRole::secret) {
    return bad_setting(setting, ": a secret does not belong in a file that is shown and copied",
                       "put it into a kubeconfig, or into TRAINCTL_TOKEN");
  }
  if (setting.source == Source::working_tree && setting.key == "tree-config") {
    return bad_setting(setting, " cannot be set here: it decides whether this file is read",
                       "trainctl config set tree-config trusted, or off");
  }
  return {};
}

// The part of a file that a key belongs to.
struct Part {
  std::string preset;   // "" = none
  std::string section;  // a command; "" = the top level
};

// Older versions kept the site's rules for jobs here.
constexpr std::string_view k_policy = "policy";

// These decide which files and presets count, so they cannot be known from a preset.
bool is_beyond_presets(const std::string& key) {
  return key == "preset" || key == k_presets || key == "tree-config";
}

class FileReader {
 public:
  FileReader(const SettingsFile& file, const std::string& text, const Environment& environment,
             Keys& keys)
      : file_(file), text_(text), environment_(environment), keys_(keys) {}

  Result<std::vector<Setting>> read(const Json& config) {
    for (const auto& [name, value] : config.items()) TRY(add_entry(name, value));
    return std::move(settings_);
  }

 private:
  std::string origin(std::vector<std::string> path) const {
    return origin_of(file_, text_, std::move(path));
  }

  Status add_entry(const std::string& name, const Json& value) {
    if (name == k_policy) return no_policy();
    if (name == k_presets) return add_presets(value);
    if (name == k_multikueue) return add_worker_contexts(value);
    if (!value.is_object()) return add({}, name, value);
    if (!keys_.is_section(name) && !keys_.find("", name)) return unknown_section(name);
    if (!keys_.is_section(name)) return add({}, name, value);
    return add_all({"", name}, value);
  }

  Error no_policy() const {
    return {Code::usage, cat(origin({std::string(k_policy)}), ": policy is no longer a key"),
            "remove it, and let the cluster keep the rules: docs/admin.md shows how"};
  }

  Status add_worker_contexts(const Json& multikueue) {
    const Json* contexts = multikueue.size() == 1 ? find(multikueue, "/contexts") : nullptr;
    if (contexts == nullptr || !contexts->is_object()) {
      return Error{Code::usage,
                   cat(origin({std::string(k_multikueue)}), ": multikueue takes the key contexts"),
                   "write it as `multikueue: {contexts: {CLUSTER: CONTEXT}}`"};
    }
    for (const auto& [cluster, context] : contexts->items()) {
      Setting setting{file_.source, std::string(k_worker_contexts), cluster, {}, {}, "", ""};
      setting.origin = origin({std::string(k_multikueue), "contexts", cluster});
      setting.facts = {"CONTEXT", false, {.name = "", .commands = "", .type = Type::text}};
      TRY_ASSIGN(setting.values, typed_values(setting, context));
      settings_.push_back(std::move(setting));
    }
    return {};
  }

  Status add_presets(const Json& presets) {
    if (!presets.is_object()) {
      return Error{Code::usage, cat(origin({k_presets}), ": presets is not a mapping of names"),
                   "write it as `presets: {NAME: {gpu: 8}}`"};
    }
    for (const auto& [name, preset] : presets.items()) TRY(add_preset(name, preset));
    return {};
  }

  Status add_preset(const std::string& name, const Json& preset) {
    const std::string where = cat(origin({k_presets, name}), ": preset ", printable_line(name));
    if (const auto fault = job::label_value_fault(name); name.empty() || !fault.empty()) {
      return Error{Code::usage, cat(where, ": a name ", name.empty() ? "is missing" : fault), ""};
    }
    if (name == k_no_preset) {
      return Error{Code::usage, cat(where, " cannot be chosen: --preset none means no preset"),
                   "choose another name"};
    }
    if (!preset.is_object() || preset.empty()) {
      return Error{Code::usage, cat(where, " has no settings"),
                   "write flags of submit-KIND below its name: {gpu: 8, memory: 400Gi}"};
    }
    for (const auto& [key, value] : preset.items()) {
      const bool is_kind = reads_submit_keys(key) && keys_.is_section(key);
      if (is_kind && value.is_object()) {
        TRY(add_all({name, key}, value));
      } else {
        TRY(add({name, ""}, key, value));
      }
    }
    return {};
  }

  Status add_all(const Part& part, const Json& mapping) {
    for (const auto& [key, value] : mapping.items()) TRY(add(part, key, value));
    return {};
  }

  Status add(const Part& part, const std::string& key, const Json& value) {
    std::vector<std::string> path;
    if (!part.preset.empty()) path = {k_presets, part.preset};
    if (!part.section.empty()) path.push_back(part.section);
    path.push_back(key);
    Setting setting{file_.source, part.section, key, {}, {}, origin(path), part.preset};
    if (!part.preset.empty() && is_beyond_presets(key)) {
      return bad_setting(setting, ": a preset can choose neither presets nor files",
                         "write it at the top level of a configuration file");
    }
    if (Status known = check_key(keys_, part.section, key); !known) {
      return in_context(setting.origin, std::move(known).error());
    }
    setting.facts = *keys_.find(part.section, key);
    TRY_ASSIGN(setting.values, typed_values(setting, value));
    TRY(check_allowed(setting));
    resolve_paths(setting, file_.path, environment_);
    settings_.push_back(std::move(setting));
    return {};
  }

  Error unknown_section(const std::string& name) const {
    const std::string near = nearest(name, keys_.sections());
    return {Code::usage,
            cat(origin({name}), ": no command is named ", printable_line(name),
                near.empty() ? "" : cat("; did you mean ", near, "?")),
            "write a command's keys below its name, as in `get: {output: wide}`"};
  }

  const SettingsFile& file_;
  const std::string& text_;
  const Environment& environment_;
  Keys& keys_;
  std::vector<Setting> settings_;
};

}  // namespace

std::string origin_of(const SettingsFile& file, const std::string& text,
                      std::vector<std::string> path) {
  int line = config_line(text, path);
  // A key of a preset may stand on the line of the preset's name: small: {gpu: 1}.
  while (line == 0 && path.size() > 2) {
    path.pop_back();
    line = path.front() == k_presets ? config_line(text, path) : 0;
  }
  return line == 0 ? file.path : cat(file.path, ':', line);
}

std::string switch_word(const std::string& value) {
  const std::string word = lower(value);
  if (word == "yes" || word == "on" || word == "1") return "true";
  if (word == "no" || word == "off" || word == "0") return "false";
  return word == "true" || word == "false" ? word : value;
}

Status check_key(Keys& keys, const std::string& section, const std::string& key) {
  if (keys.find(section, key)) return {};
  const job::Flag* row = job::find_flag(key);
  if (row != nullptr && !row->instead.empty()) {
    return Error{Code::usage, cat(key, " has no meaning outside Run:ai"),
                 cat("instead: ", row->instead)};
  }
  if (const auto line = line_for_flag(section, "--" + key)) {
    return Error{Code::usage, cat("unknown key ", printable_line(key)), *line};
  }
  const std::string near = nearest(key, keys.names(section));
  std::string message = cat("unknown key ", printable_line(key));
  if (!section.empty()) message += cat(" for ", section);
  if (!near.empty()) return Error{Code::usage, cat(message, "; did you mean ", near, "?"), ""};
  return Error{Code::usage, message,
               section.empty() ? "keys are flags of all commands and of submit-KIND; those of "
                                 "another command go below its name, as in `get: {output: wide}`"
                               : cat("trainctl ", section, " --help lists its flags")};
}

Result<std::vector<Setting>> file_settings(const SettingsFile& file, const std::string& text,
                                           const Environment& environment, Keys& keys) {
  TRY_ASSIGN(const Json config, parse_config(text, file.path));
  return FileReader(file, text, environment, keys).read(config);
}

}  // namespace trainctl::options
