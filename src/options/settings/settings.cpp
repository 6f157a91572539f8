// Collects the settings of TRAINCTL_* variables and of all configuration files.
#include "options/settings/settings.h"

#include <algorithm>
#include <tuple>

#include "base/environment.h"
#include "base/file/own_file.h"
#include "base/file/sha256.h"
#include "base/text/text.h"
#include "manifest/secrets.h"
#include "options/table/choices.h"
#include "options/table/defaults.h"
#include "options/table/flag_synonyms.h"
#include "work/find/lineage.h"
#include "work/notify/notify.h"

namespace trainctl::options {
namespace {

// The paths are part of it, because a setting may refer to what lies beside the file, as in
// PYTHONPATH=src. Digests of equal length keep the parts apart.
Result<std::string> digest_of(const ConfigSources& sources, const std::vector<Setting>& settings) {
  std::vector<std::string> paths = {sources.tree.path};
  for (const Setting& setting : settings) {
    if (setting.facts.row.type != Type::path) continue;
    paths.insert(paths.end(), setting.values.begin(), setting.values.end());
  }
  std::string digests;
  for (const std::string& path : paths) {
    TRY_ASSIGN(const std::string content, sources.files.read(path));
    digests += sha256_hex(path) + sha256_hex(content);
  }
  return sha256_hex(digests);
}

// "" = there is no place for one.
std::string consent_path(const ConfigSources& sources, const std::string& digest) {
  const std::string state = state_directory(sources.environment);
  return state.empty() ? "" : cat(state, "/agreed/", digest);
}

// True when the user has agreed to exactly this content of the working tree's file and of all
// files that its `settings` name.
bool is_agreed(const ConfigSources& sources, const std::vector<Setting>& settings) {
  const auto digest = digest_of(sources, settings);
  if (!digest) return false;
  // The content shows that the file is a consent, whatever its name.
  const std::string path = consent_path(sources, *digest);
  return !path.empty() && read_own_file(sources.files, path) == sources.tree.path + '\n';
}

}  // namespace

Status agree(const ConfigSources& sources, const std::vector<Setting>& settings) {
  auto digest = digest_of(sources, settings);
  if (!digest) return Error{Code::usage, digest.error().message, digest.error().hint};
  const std::string path = consent_path(sources, *digest);
  if (path.empty()) {
    return Error{Code::usage, "cannot record your consent: HOME is not an absolute path",
                 "set HOME or XDG_STATE_HOME to an absolute path"};
  }
  return sources.files.write(path, sources.tree.path + '\n', Readers::owner);
}

namespace {

constexpr std::string_view k_variable_prefix = "TRAINCTL_";

struct Variable {
  std::string section, key;
};

// TRAINCTL_GET_OUTPUT as a flag would be written: get-output.
std::string flag_of(const std::string& name) {
  std::string flag = lower(name.substr(k_variable_prefix.size()));
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

// Splits a variable's name: TRAINCTL_GET_OUTPUT is `output` of `get`, TRAINCTL_IMAGE is `image`.
std::optional<Variable> variable_of(const std::string& name, Keys& keys) {
  const std::string key = flag_of(name);
  for (const std::string& section : keys.sections()) {
    if (!key.starts_with(section + "-")) continue;
    const std::string rest = key.substr(section.size() + 1);
    if (keys.find(section, rest)) return Variable{section, rest};
  }
  if (keys.find("", key)) return Variable{"", key};
  return std::nullopt;
}

Result<std::vector<Setting>> variable_settings(const Environment& environment, Keys& keys) {
  std::vector<Setting> settings;
  for (auto at = environment.all().lower_bound(k_variable_prefix);
       at != environment.all().end() && at->first.starts_with(k_variable_prefix); ++at) {
    if (at->second.empty()) continue;
    if (const auto line = line_for_flag("", "--" + flag_of(at->first))) {
      return Error{Code::usage, at->first + " is no longer a setting", *line};
    }
    const auto found = variable_of(at->first, keys);
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
std::vector<std::string> variable_names(Keys& keys) {
  std::vector<std::string> names = keys.names("");
  for (const std::string& section : keys.sections()) {
    for (const std::string& key : keys.names(section)) names.push_back(cat(section, "-", key));
  }
  for (std::string& name : names) {
    name = upper(name);
    std::ranges::replace(name, '-', '_');
  }
  return names;
}

Result<std::vector<Setting>> read_file(const ConfigSources& sources, const SettingsFile& file,
                                       Keys& keys) {
  if (file.path.empty()) return std::vector<Setting>{};
  const auto facts = sources.files.facts(file.path);
  if (facts && !facts->is_regular) {
    return Error{Code::usage, cat(file.path, " is not a regular file"),
                 "trainctl config path shows which files are read"};
  }
  if (!sources.files.exists(file.path)) return std::vector<Setting>{};
  const auto text = sources.files.read(file.path);
  if (!text) return Error{Code::usage, text.error().message, text.error().hint};
  return file_settings(file, *text, sources.environment, keys);
}

// The mode that the variables, the user's or the site's file set.
TreeConfig tree_config(const std::vector<Setting>& settings) {
  const auto setting = std::ranges::find(settings, "tree-config", &Setting::key);
  if (setting == settings.end()) return TreeConfig::agreed;
  // An unknown word is refused later, when the flag takes it; until then the file is not read.
  const auto mode = value_of(k_tree_configs, setting->values.front());
  return mode ? **mode : TreeConfig::off;
}

// Empty without the user's consent to the file; `unread`: why.
Result<std::vector<Setting>> agreed_settings(const ConfigSources& sources, Keys& keys,
                                             TreeConfig mode, std::string& unread) {
  if (mode == TreeConfig::off || !sources.tree.exists) return std::vector<Setting>{};
  unread = sources.tree.refused;
  if (!unread.empty()) return std::vector<Setting>{};
  auto settings = read_working_tree(sources, keys);
  if (mode == TreeConfig::trusted) return settings;
  if (settings && is_agreed(sources, *settings)) return settings;
  unread = "you have not agreed to its content; trainctl config trust shows it and asks";
  return std::vector<Setting>{};
}

Result<std::vector<Setting>> read_user_or_site_file(const ConfigSources& sources,
                                                    const SettingsFile& file, Keys& keys,
                                                    std::optional<Error>* site_fault) {
  auto settings = read_file(sources, file, keys);
  if (settings || site_fault == nullptr || file.source != Source::site) return settings;
  *site_fault =
      Error{Code::usage, cat(settings.error().message, " (the file has no effect here)"), ""};
  return std::vector<Setting>{};
}

// Within one source, a command's section takes precedence over the top level.
void order(std::vector<Setting>& settings) {
  std::ranges::stable_sort(settings, [](const Setting& one, const Setting& other) {
    return std::pair(one.source, one.section.empty()) <
           std::pair(other.source, other.section.empty());
  });
}

}  // namespace

std::vector<SettingsFile> settings_files(const ConfigSources& sources) {
  const std::string config = config_directory(sources.environment);
  return {{Source::working_tree, sources.tree.path},
          {Source::user, config.empty() ? "" : config + "/config.yaml"},
          {Source::site, std::string(k_site_file)}};
}

Result<std::vector<Setting>> read_working_tree(const ConfigSources& sources, Keys& keys) {
  const TreeFile& tree = sources.tree;
  if (!tree.exists || !tree.refused.empty()) {
    return Error{Code::usage,
                 tree.exists ? cat(tree.path, " cannot be trusted: ", tree.refused)
                             : "there is no .trainctl.yaml to trust",
                 "trainctl config path lists the places of such files"};
  }
  TRY_ASSIGN(auto settings, read_file(sources, {Source::working_tree, tree.path}, keys));
  for (Setting& setting : settings) TRY(keep_in_tree(sources.files, tree, setting));
  return settings;
}

Result<std::vector<Setting>> read_settings(const ConfigSources& sources, Keys& keys,
                                           std::string* unread_tree,
                                           std::optional<Error>* site_fault) {
  TRY_ASSIGN(std::vector<Setting> settings, variable_settings(sources.environment, keys));
  for (const SettingsFile& file : settings_files(sources)) {
    if (file.source == Source::working_tree) continue;
    TRY_ASSIGN(const auto more, read_user_or_site_file(sources, file, keys, site_fault));
    settings.insert(settings.end(), more.begin(), more.end());
  }
  std::string unread;
  const TreeConfig mode = sources.tree_config.value_or(tree_config(settings));
  TRY_ASSIGN(const auto more, agreed_settings(sources, keys, mode, unread));
  settings.insert(settings.end(), more.begin(), more.end());
  if (unread_tree != nullptr) *unread_tree = unread;
  order(settings);
  return settings;
}

std::vector<UnknownVariable> unknown_variables(const Environment& environment, Keys& keys) {
  std::vector<UnknownVariable> unknown;
  for (const auto& [name, value] : environment.all()) {
    if (!name.starts_with(k_variable_prefix) || variable_of(name, keys)) continue;
    if (name == work::k_lineage_key_variable) continue;  // a secret, so no setting
    // Compared without the common prefix, which would make all names similar.
    const std::string near = nearest(name.substr(k_variable_prefix.size()), variable_names(keys));
    unknown.push_back({name, near.empty() ? "" : cat(k_variable_prefix, near)});
  }
  return unknown;
}

namespace {

bool overrides(const Setting& nearer, const Setting& setting) {
  const bool reaches = nearer.section == setting.section ||
                       (nearer.source != setting.source && concerns(nearer, setting.section));
  return nearer.key == setting.key && reaches;
}

}  // namespace

std::vector<Setting> effective(const std::vector<Setting>& settings) {
  std::vector<Setting> taken;
  for (const Setting& setting : settings) {
    const bool covered = std::ranges::any_of(
        taken, [&setting](const Setting& nearer) { return overrides(nearer, setting); });
    if (setting.preset.empty() && !covered) taken.push_back(setting);
  }
  for (const std::string& name : preset_names(settings)) {
    const auto preset = settings_of_preset(settings, name);
    taken.insert(taken.end(), preset.begin(), preset.end());
  }
  std::ranges::stable_sort(taken, [](const Setting& one, const Setting& other) {
    return std::tie(one.preset, one.section, one.key) <
           std::tie(other.preset, other.section, other.key);
  });
  return taken;
}

Json merged(const std::vector<Setting>& settings) {
  Json config = Json::object();
  for (const Setting& setting : settings) {
    Json& top = setting.preset.empty() ? config : config[k_presets][setting.preset];
    Json* place = &top;
    for (const std::string& step : split(setting.section, '.')) {
      if (!step.empty()) place = &(*place)[step];
    }
    (*place)[setting.key] = shown_value(setting);
  }
  return config;
}

Json written_value(const ConfigKey& facts, const std::vector<std::string>& values) {
  const auto one = [&facts](const std::string& text) -> Json {
    if (facts.value_name.empty() && (text == "true" || text == "false")) return text == "true";
    const bool number = !text.empty() && text.size() < 10 &&
                        text.find_first_not_of("0123456789") == std::string::npos &&
                        (text == "0" || text[0] != '0');
    return number ? Json(std::stol(text)) : Json(text);
  };
  if (!facts.repeatable) return one(values.back());
  Json list = Json::array();
  for (const std::string& text : values) list.push_back(one(text));
  return list;
}

std::vector<std::string> shown_words(const Setting& setting) {
  if (setting.facts.row.connection == ConnectionRole::secret) return {std::string(job::k_left_out)};
  // VAR=SECRET:KEY says where a value is.
  if (setting.facts.value_name.starts_with("VAR=")) return setting.values;
  std::vector<std::string> shown;
  for (const std::string& value : setting.values) {
    const bool is_target = setting.key == "notify";
    shown.push_back(job::text_without_secrets(is_target ? work::shown_target(value) : value));
  }
  return shown;
}

Json shown_value(const Setting& setting) {
  return written_value(setting.facts, shown_words(setting));
}

Json settings_report(const std::vector<Setting>& settings) {
  Json list = Json::array();
  for (const Setting& setting : settings) {
    list.push_back(
        {{"key", setting.spelled()}, {"value", shown_value(setting)}, {"origin", setting.origin}});
  }
  return list;
}

}  // namespace trainctl::options
