// Prints what options/settings/settings.h makes of the settings.
#include "cli/commands/config_view.h"

#include "base/text/table.h"
#include "base/text/text.h"
#include "cli/options/config_keys.h"
#include "cli/output/output.h"
#include "options/settings/settings.h"
#include "options/table/defaults.h"

namespace trainctl::cli {
namespace {

// Says how lists combine, when there is one: a user who types one more value may expect a sum.
void tell_of_lists(Context& context, const std::vector<options::Setting>& settings) {
  const auto list = std::ranges::find_if(
      settings, [](const options::Setting& setting) { return setting.facts.repeatable; });
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
                      {"value", options::shown_value(setting)},
                      {"origin", setting.origin}});
    }
    return print_data(context, format, list);
  }
  Table table({"KEY", "VALUE", "ORIGIN"});
  for (const options::Setting& setting : settings) {
    const std::string value = join(options::shown_words(setting), " ");
    table.add({{setting.spelled()}, {printable_line(value)}, {setting.origin}});
  }
  TRY(context.console.out(table.text(context.console)));
  tell_of_lists(context, settings);
  return {};
}

}  // namespace

Result<std::vector<options::Setting>> settings_without_faults(Context& context) {
  std::string unread_tree;
  std::optional<Error> site_fault;
  auto settings = read_settings(context, &unread_tree, &site_fault);
  if (site_fault) context.console.warn(site_fault->message);
  tell_of_tree(context, unread_tree);
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
  const auto settings = options::effective(all);
  if (settings.empty() && format == options::Format::text) {
    context.console.notice("no defaults are configured; trainctl config path shows where they go");
    return {};
  }
  if (origin) return view_origins(context, format, settings);
  return print_data(context, format, options::merged(settings));
}

Status print_presets(Context& context, options::Format format,
                     const std::vector<options::Setting>& settings) {
  const auto shown = options::effective(settings);
  const Json config = options::merged(shown);
  if (!config.contains(options::k_presets)) {
    return Error{Code::not_found, "no file defines a preset",
                 "trainctl config path shows which files are read"};
  }
  if (format != options::Format::text)
    return print_data(context, format, config[options::k_presets]);
  std::string text;
  for (const std::string& line : options::preset_names(shown)) text += printable_line(line) + '\n';
  return context.console.out(text);
}

}  // namespace trainctl::cli
