// Reads configuration files and TRAINCTL_* variables, and refuses forbidden settings.
#include "cli/config/settings.h"

#include <algorithm>
#include <cctype>

#include "base/text/text.h"
#include "base/value/config_text.h"
#include "cli/options/job_flags.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_variable_prefix = "TRAINCTL_";

Error bad_setting(const Setting& setting, std::string_view why, std::string hint = "") {
  return {Code::usage, cat(setting.origin, ": ", setting.spelled(), why), std::move(hint)};
}

// One value as it would be typed; nullopt when it is no scalar, or empty.
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
    if (!text) return bad_setting(setting, " has no value", "write one, or take the line out");
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

Status check_place(const Setting& setting) {
  if (setting.facts.row.place == Place::secret) {
    return bad_setting(setting, ": a secret does not belong in a file that is shown and copied",
                       "put it into a kubeconfig, or into TRAINCTL_TOKEN");
  }
  return setting.source == Source::working_tree ? check_tree_says(setting) : Status();
}

Result<Setting> read_setting(const SettingsFile& file, const std::string& text,
                             const std::string& section, const std::string& key, const Json& value,
                             const Environment& environment, ConfigKeys& keys) {
  Setting setting{file.source, section, key, {}, {}};
  const int line = config_line(text, section, key);
  setting.origin = line == 0 ? file.path : cat(file.path, ':', line);
  if (Status known = check_key(keys, section, key); !known) {
    return in_context(setting.origin, std::move(known).error());
  }
  setting.facts = *keys.find(section, key);
  TRY_ASSIGN(setting.values, typed_values(setting, value));
  TRY(check_place(setting));
  resolve_paths(setting, file.path, environment);
  return setting;
}

Error unknown_section(const SettingsFile& file, const std::string& text, const std::string& name,
                      const ConfigKeys& keys) {
  const int line = config_line(text, "", name);
  const std::string where = line == 0 ? file.path : cat(file.path, ':', line);
  const std::string near = nearest(name, keys.sections());
  return {Code::usage,
          near.empty() ? cat(where, ": no command has the name ", printable_line(name))
                       : cat(where, ": no command has the name ", printable_line(name),
                             "; did you mean ", near, "?"),
          "write a command's keys below its name, as in `get: {output: wide}`"};
}

struct Variable {
  std::string section, key;
};

// Splits a variable's name: TRAINCTL_GET_OUTPUT is `output` of `get`, TRAINCTL_IMAGE is `image`.
std::optional<Variable> variable_of(const std::string& name, ConfigKeys& keys) {
  std::string key = lower(name.substr(k_variable_prefix.size()));
  std::replace(key.begin(), key.end(), '_', '-');
  for (const std::string& section : keys.sections()) {
    if (!key.starts_with(section + "-")) continue;
    const std::string rest = key.substr(section.size() + 1);
    if (keys.find(section, rest)) return Variable{section, rest};
  }
  if (keys.find("", key)) return Variable{"", key};
  return std::nullopt;
}

Result<std::vector<Setting>> variable_settings(const Environment& environment, ConfigKeys& keys) {
  std::vector<Setting> settings;
  for (auto at = environment.all().lower_bound(k_variable_prefix);
       at != environment.all().end() && at->first.starts_with(k_variable_prefix); ++at) {
    const auto found = at->second.empty() ? std::nullopt : variable_of(at->first, keys);
    if (!found) continue;
    Setting setting{Source::variables, found->section, found->key, {}, {}, at->first};
    setting.facts = *keys.find(found->section, found->key);
    setting.values = setting.facts.repeatable ? split(trim(at->second), '\n')
                                              : std::vector<std::string>{at->second};
    if (setting.facts.value_name.empty()) setting.values = {switch_word(at->second)};
    settings.push_back(std::move(setting));
  }
  return settings;
}

// The variable names of all settings, without the prefix.
std::vector<std::string> variable_names(ConfigKeys& keys) {
  std::vector<std::string> names = keys.names("");
  for (const std::string& section : keys.sections()) {
    for (const std::string& key : keys.names(section)) names.push_back(cat(section, "-", key));
  }
  for (std::string& name : names) {
    for (char& c : name) {
      c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return names;
}

Result<std::vector<Setting>> read_file(const Context& context, const SettingsFile& file,
                                       ConfigKeys& keys) {
  if (file.path.empty() || !context.files.exists(file.path)) return std::vector<Setting>{};
  const auto facts = context.files.facts(file.path);
  if (facts && !facts->is_regular) {
    return Error{Code::usage, cat(file.path, " is not a regular file"),
                 "trainctl config path shows which files are read"};
  }
  const auto text = context.files.read(file.path);
  if (!text) return Error{Code::usage, text.error().message, text.error().hint};
  return file_settings(file, *text, context.environment, keys);
}

Result<std::vector<Setting>> read_working_tree(const Context& context, ConfigKeys& keys) {
  const TreeFile& tree = find_tree_file(context);
  if (!tree.exists || !tree.refused.empty()) return std::vector<Setting>{};
  TRY_ASSIGN(auto settings, read_file(context, {Source::working_tree, tree.path}, keys));
  for (Setting& setting : settings) TRY(keep_in_tree(context.files, tree, setting));
  return settings;
}

// Within one source, a command's section takes precedence over the top level.
void order(std::vector<Setting>& settings) {
  std::ranges::stable_sort(settings, [](const Setting& one, const Setting& other) {
    return std::pair(one.source, one.section.empty()) <
           std::pair(other.source, other.section.empty());
  });
}

}  // namespace

std::string switch_word(const std::string& value) {
  const std::string word = lower(value);
  if (word == "yes" || word == "on" || word == "1") return "true";
  if (word == "no" || word == "off" || word == "0") return "false";
  return word == "true" || word == "false" ? word : value;
}

Status check_key(ConfigKeys& keys, const std::string& section, const std::string& key) {
  if (keys.find(section, key)) return {};
  const job::Flag* row = job::find_flag(key);
  if (row != nullptr && !row->instead.empty()) {
    return Error{Code::usage, cat(key, " has no meaning outside Run:ai"),
                 cat("instead: ", row->instead)};
  }
  const std::string near = nearest(key, keys.names(section));
  std::string message = cat("unknown key ", printable_line(key));
  if (!section.empty()) message += cat(" for ", section);
  if (!near.empty()) return Error{Code::usage, cat(message, "; did you mean ", near, "?"), ""};
  return Error{Code::usage, message,
               section.empty()
                   ? "keys are flags of all commands and of submit-KIND; those of another "
                     "command stand below its name, as in `get: {output: wide}`"
                   : cat("trainctl ", section, " --help lists its flags")};
}

Result<std::vector<Setting>> file_settings(const SettingsFile& file, const std::string& text,
                                           const Environment& environment, ConfigKeys& keys) {
  TRY_ASSIGN(const Json config, parse_config(text, file.path));
  std::vector<Setting> settings;
  const auto add = [&](const std::string& section, const std::string& key,
                       const Json& value) -> Status {
    TRY_ASSIGN(Setting setting, read_setting(file, text, section, key, value, environment, keys));
    settings.push_back(std::move(setting));
    return {};
  };
  for (const auto& [name, value] : config.items()) {
    if (!value.is_object()) {
      TRY(add("", name, value));
      continue;
    }
    if (!keys.is_section(name) && !keys.find("", name))
      return unknown_section(file, text, name, keys);
    if (!keys.is_section(name)) TRY(add("", name, value));
    for (const auto& [key, inner] : value.items()) TRY(add(name, key, inner));
  }
  return settings;
}

std::vector<SettingsFile> settings_files(const Context& context) {
  std::string config = context.environment.text("XDG_CONFIG_HOME");
  const std::string home = context.environment.text("HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  return {{Source::working_tree, find_tree_file(context).path},
          {Source::user, config.empty() ? "" : config + "/trainctl/config.yaml"},
          {Source::site, "/etc/trainctl/config.yaml"}};
}

Result<std::vector<Setting>> read_settings(const Context& context, Effect effect,
                                           std::optional<Error>* tree_fault) {
  ConfigKeys keys(context.commands);
  TRY_ASSIGN(std::vector<Setting> settings, variable_settings(context.environment, keys));
  for (const SettingsFile& file : settings_files(context)) {
    if (file.source == Source::working_tree) continue;
    TRY_ASSIGN(const auto more, read_file(context, file, keys));
    settings.insert(settings.end(), more.begin(), more.end());
  }
  const bool heard =
      hears_working_tree(effect) && tree_config(context, settings) != TreeConfig::off;
  if (heard) {
    auto more = read_working_tree(context, keys);
    if (!more && tree_fault == nullptr) return std::move(more).error();
    if (more) {
      settings.insert(settings.end(), more->begin(), more->end());
    } else {
      *tree_fault = std::move(more).error();
    }
  }
  order(settings);
  return settings;
}

std::vector<UnknownVariable> unknown_variables(const Context& context) {
  ConfigKeys keys(context.commands);
  std::vector<UnknownVariable> unknown;
  for (const auto& [name, value] : context.environment.all()) {
    if (!name.starts_with(k_variable_prefix) || variable_of(name, keys)) continue;
    // Compared without the common prefix, which would make all names similar.
    const std::string near = nearest(name.substr(k_variable_prefix.size()), variable_names(keys));
    unknown.push_back({name, near.empty() ? "" : cat(k_variable_prefix, near)});
  }
  return unknown;
}

}  // namespace trainctl::cli
