// Leaves out settings that nearer ones override, and masks secrets.
#include "cli/commands/config_view.h"

#include <algorithm>
#include <tuple>

#include "base/text/table.h"
#include "base/text/text.h"
#include "cli/options/config_keys.h"
#include "cli/options/configuration.h"
#include "cli/output/output.h"
#include "options/settings/policy_settings.h"
#include "options/settings/settings.h"
#include "options/settings/working_tree.h"
#include "options/table/defaults.h"
#include "options/table/presets.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_masked = "***";

bool overrides(const options::Setting& nearer, const options::Setting& setting) {
  const bool reaches =
      nearer.section == setting.section ||
      (nearer.source != setting.source && options::concerns(nearer, setting.section));
  return nearer.key == setting.key && reaches;
}

// The settings without those that a nearer one overrides; presets come last, as a line that
// chooses them would have them.
std::vector<options::Setting> effective(const std::vector<options::Setting>& settings) {
  std::vector<options::Setting> taken;
  for (const options::Setting& setting : settings) {
    const bool covered = std::ranges::any_of(
        taken, [&setting](const options::Setting& nearer) { return overrides(nearer, setting); });
    if (setting.preset.empty() && !covered) taken.push_back(setting);
  }
  for (const std::string& name : options::preset_names(settings)) {
    const auto preset = options::settings_of_preset(settings, name);
    taken.insert(taken.end(), preset.begin(), preset.end());
  }
  std::ranges::stable_sort(taken, [](const options::Setting& one, const options::Setting& other) {
    return std::tie(one.preset, one.section, one.key) <
           std::tie(other.preset, other.section, other.key);
  });
  return taken;
}

// The settings as one configuration file would hold them.
Json merged(const std::vector<options::Setting>& settings) {
  Json config = Json::object();
  for (const options::Setting& setting : settings) {
    Json& top = setting.preset.empty() ? config : config[options::k_presets][setting.preset];
    Json& place = setting.section.empty() ? top : top[setting.section];
    place[setting.key] = shown_value(setting);
  }
  return config;
}

// Says how lists combine, when there is one: a user who types one more value may expect a sum.
void tell_of_lists(Context& context, const std::vector<options::Setting>& settings) {
  const auto list = std::ranges::find_if(settings, [](const options::Setting& setting) {
    return setting.facts.repeatable && setting.section != options::k_policy;
  });
  if (list == settings.end()) return;
  context.console.notice(cat("lists are not merged: --", list->key,
                             " on the command line replaces the whole value of ", list->spelled()));
}

Status view_origins(Context& context, options::Format format,
                    const std::vector<options::Setting>& settings) {
  if (format != options::Format::text) {
    Json list = Json::array();
    for (const options::Setting& setting : settings) {
      list.push_back({{"key", setting.spelled()},
                      {"value", shown_value(setting)},
                      {"origin", setting.origin}});
    }
    return print_data(context, format, list);
  }
  Table table({"KEY", "VALUE", "ORIGIN"});
  for (const options::Setting& setting : settings) {
    const std::string value = join(shown_words(setting), " ");
    table.add({{setting.spelled()}, {printable_line(value)}, {setting.origin}});
  }
  TRY(context.console.out(table.text(context.console)));
  tell_of_lists(context, settings);
  return {};
}

std::vector<std::string> lines_of_policy(const std::vector<options::Setting>& settings) {
  std::vector<std::string> lines;
  for (const options::Setting& setting : settings) {
    if (setting.section != options::k_policy) continue;
    for (const std::string& value : setting.values) lines.push_back(cat(setting.key, ": ", value));
  }
  return lines;
}

}  // namespace

Json written_value(const options::ConfigKey& facts, const std::vector<std::string>& values) {
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

// Masks a token, and the user info of a URL.
std::vector<std::string> shown_words(const options::Setting& setting) {
  if (setting.facts.row.place == options::Place::secret) return {std::string(k_masked)};
  std::vector<std::string> shown;
  for (const std::string& value : setting.values) shown.push_back(masked_user_info(value));
  return shown;
}

Json shown_value(const options::Setting& setting) {
  if (setting.section == options::k_policy) return options::policy_value(setting);
  return written_value(setting.facts, shown_words(setting));
}

Result<std::vector<options::Setting>> settings_without_faults(Context& context) {
  std::optional<Error> fault, site_fault;
  auto settings = read_settings(context, options::Effect::reads, &fault, &site_fault);
  if (site_fault) context.console.warn(site_fault->message);
  if (fault) warn_of_tree(context, *fault);
  return settings;
}

Status view_configuration(Context& context, options::Format format, bool origin) {
  TRY_ASSIGN(const auto all, settings_without_faults(context));
  ConfigKeys keys(context.commands);
  for (const options::UnknownVariable& variable :
       options::unknown_variables(context.environment, keys)) {
    context.console.notice(
        variable.near.empty()
            ? variable.name + " is not a setting: no flag has that name"
            : cat(variable.name, " is not a setting: did you mean ", variable.near, "?"));
  }
  const auto settings = effective(all);
  if (settings.empty() && format == options::Format::text) {
    context.console.notice("no defaults are configured; trainctl config path shows where they go");
    return {};
  }
  if (origin) return view_origins(context, format, settings);
  return print_data(context, format, merged(settings));
}

Status print_group(Context& context, const std::string& name, options::Format format,
                   const std::vector<options::Setting>& settings) {
  const auto shown = effective(settings);
  const Json config = merged(shown);
  if (!config.contains(name)) {
    return Error{Code::not_found,
                 name == options::k_policy ? "the site has no policy" : "no file defines a preset",
                 "trainctl config path shows which files are read"};
  }
  if (format != options::Format::text) return print_data(context, format, config[name]);
  std::string text;
  for (const std::string& line :
       name == options::k_policy ? lines_of_policy(shown) : options::preset_names(shown)) {
    text += printable_line(line) + '\n';
  }
  return context.console.out(text);
}

}  // namespace trainctl::cli
