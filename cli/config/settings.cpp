// Collects the settings of TRAINCTL_* variables and of all configuration files.
#include "cli/config/settings.h"

#include <algorithm>
#include <cctype>

#include "base/text/text.h"
#include "job/manifest/policy.h"
#include "work/create/site_policy.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_variable_prefix = "TRAINCTL_";

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
  if (file.path.empty()) return std::vector<Setting>{};
  const auto facts = context.files.facts(file.path);
  if (facts && !facts->is_regular) {
    return Error{Code::usage, cat(file.path, " is not a regular file"),
                 "trainctl config path shows which files are read"};
  }
  if (file.source == Source::site) {
    TRY_ASSIGN(const auto text, work::read_site_file(context.files));
    if (!text) return std::vector<Setting>{};
    return file_settings(file, *text, context.environment, keys);
  }
  if (!context.files.exists(file.path)) return std::vector<Setting>{};
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

// Reads a file of the user or the site. Other settings of the site's file, such as the namespace,
// decide which jobs a command changes, so that only one that reads goes on without them.
Result<std::vector<Setting>> read_own_file(const Context& context, SettingsFile file, Effect effect,
                                           ConfigKeys& keys, std::optional<Error>* site_fault) {
  auto settings = read_file(context, file, keys);
  if (settings || site_fault == nullptr || file.source != Source::site) return settings;
  const std::string& why = settings.error().message;
  file.with_policy = false;
  auto others = read_file(context, file, keys);
  if (!others && effect == Effect::changes) return settings;
  const std::string_view effect_of_it =
      others ? " (no job can be created until that is mended)" : " (the file has no effect here)";
  *site_fault = Error{Code::usage, cat(why, effect_of_it), ""};
  return others ? others : std::vector<Setting>{};
}

// Within one source, a command's section takes precedence over the top level.
void order(std::vector<Setting>& settings) {
  std::ranges::stable_sort(settings, [](const Setting& one, const Setting& other) {
    return std::pair(one.source, one.section.empty()) <
           std::pair(other.source, other.section.empty());
  });
}

}  // namespace

std::vector<SettingsFile> settings_files(const Context& context) {
  std::string config = context.environment.text("XDG_CONFIG_HOME");
  const std::string home = context.environment.text("HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  return {{Source::working_tree, find_tree_file(context).path},
          {Source::user, config.empty() ? "" : config + "/trainctl/config.yaml"},
          {Source::site, std::string(job::k_site_file)}};
}

Result<std::vector<Setting>> read_settings(const Context& context, Effect effect,
                                           std::optional<Error>* tree_fault,
                                           std::optional<Error>* site_fault) {
  ConfigKeys keys(context.commands);
  TRY_ASSIGN(std::vector<Setting> settings, variable_settings(context.environment, keys));
  for (const SettingsFile& file : settings_files(context)) {
    if (file.source == Source::working_tree) continue;
    TRY_ASSIGN(const auto more, read_own_file(context, file, effect, keys, site_fault));
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
