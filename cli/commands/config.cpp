// `trainctl config`: which defaults flags have here, and from where; sets those of the user's file.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/result.h"
#include "base/text/table.h"
#include "base/text/text.h"
#include "base/value/config_text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/options/bind.h"
#include "cli/options/config_keys.h"
#include "cli/output/output.h"
#include "options/settings/settings.h"
#include "options/table/choices.h"
#include "options/table/defaults.h"

namespace trainctl::cli {
namespace {

// A file, each line indented below its name.
Result<std::string> shown_file(const Context& context, const std::string& path) {
  auto text = context.files.read(path);
  if (!text) return Error{Code::usage, text.error().message, text.error().hint};
  std::string shown = cat(printable_line(path), ":\n");
  for (const std::string& line : split(*text, '\n')) {
    if (!line.empty()) shown += cat("  ", printable_line(line), '\n');
  }
  return shown;
}

// Shows the working tree's file and all files that it names, and asks for consent unless `yes` is
// set. Code::usage when there is no terminal to ask on.
Status trust_working_tree(Context& context, bool yes) {
  ConfigKeys keys(context.commands);
  const options::ConfigSources sources = config_sources(context);
  TRY_ASSIGN(const auto settings, options::read_working_tree(sources, keys));
  const std::string path = printable_line(sources.tree.path);
  TRY_ASSIGN(std::string shown, shown_file(context, sources.tree.path));
  for (const options::Setting& setting : settings) {
    if (setting.facts.row.type != options::Type::path) continue;
    for (const std::string& named : setting.values) {
      TRY_ASSIGN(const std::string more, shown_file(context, named));
      shown += more;
    }
  }
  TRY(context.console.out(shown));
  if (!yes && !can_ask(context.console)) {
    return Error{Code::usage, "cannot ask for consent to " + path + " without a terminal",
                 "read the file, then: trainctl config trust --yes"};
  }
  if (!yes) {
    TRY_ASSIGN(const bool trusted, confirmed(context.console, context.loop,
                                             cat("Trust ", path, " in its current form")));
    if (!trusted) {
      context.console.notice("no consent given");
      return {};
    }
  }
  TRY(options::agree(sources, settings));
  context.console.notice(cat("consented to ", path, " in its current form"));
  return {};
}

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
    return print_data(context, format, options::settings_report(settings));
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

// Reads all settings. Ignores a faulty file of the working tree, with a warning.
Result<std::vector<options::Setting>> settings_without_faults(Context& context) {
  std::string unread_tree;
  std::optional<Error> site_fault;
  auto settings = read_settings(context, &unread_tree, &site_fault);
  if (site_fault) context.console.warn(site_fault->message);
  tell_of_tree(context, unread_tree);
  return settings;
}

// Some complaints name the flag already.
std::string with_name(std::string_view name, const std::string& complaint) {
  return complaint.starts_with("--") ? complaint : cat(name, ": ", complaint);
}

// Code::usage when a command that reads these settings will refuse one of their values; tells all
// of them.
Status check_values(ConfigKeys& keys, const std::vector<options::Setting>& settings) {
  std::vector<std::string> faults;
  for (const options::Setting& setting : settings) {
    const bool is_of_flag = setting.section.empty() || keys.is_section(setting.section);
    for (const std::string& value : is_of_flag ? setting.values : std::vector<std::string>()) {
      const std::string complaint = keys.complaint(setting.section, setting.key, value);
      if (complaint.empty()) continue;
      faults.push_back(cat(setting.origin, ": ", with_name(cat("--", setting.key), complaint)));
    }
  }
  if (faults.empty()) return {};
  return Error{Code::usage, join(faults, "; "),
               "correct them: trainctl config path names the files"};
}

// Prints the settings that apply here, as one configuration or as a table of origins.
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
  TRY(origin ? view_origins(context, format, settings)
             : print_data(context, format, options::merged(settings)));
  return check_values(keys, settings);
}

// Prints the presets; as text, only their names. Code::not_found when no file has any.
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

struct ConfigOptions {
  std::vector<std::string> words;  // ACTION [KEY [VALUE...]]
  options::Format output = options::Format::text;
  bool origin = false;
  bool yes = false;
};

struct Name {
  std::string section, key;
};

Result<Name> name_of(ConfigKeys& keys, const std::string& spelled) {
  const Halves halves = split_once(spelled, '.');
  if (halves.first == options::k_presets || halves.first == options::k_multikueue) {
    return Error{Code::usage, cat("config get, set and unset do not know the key ", spelled),
                 cat("edit the file that trainctl config path shows; ",
                     halves.first == options::k_presets ? "trainctl config get presets"
                                                        : "trainctl config view",
                     " prints what is set")};
  }
  if (!halves.found) {
    TRY(options::check_key(keys, "", spelled));
    return Name{"", spelled};
  }
  if (!keys.is_section(halves.first)) {
    const std::string near = nearest(halves.first, keys.sections());
    return Error{Code::usage,
                 cat("no command is named ", halves.first,
                     near.empty() ? "" : cat("; did you mean ", near, "?")),
                 "a key of one command is written COMMAND.KEY: get.output"};
  }
  TRY(options::check_key(keys, halves.first, halves.second));
  return Name{halves.first, halves.second};
}

// Prints the values of one key, one per line, so that a script can read them into a variable.
Status get(Context& context, const ConfigOptions& options) {
  if (options.words.size() != 2) {
    return Error{Code::usage, "one key is needed", "trainctl config get namespace"};
  }
  const std::string& spelled = options.words[1];
  if (spelled == options::k_presets) {
    TRY_ASSIGN(const auto settings, settings_without_faults(context));
    return print_presets(context, options.output, settings);
  }
  ConfigKeys keys(context.commands);
  TRY_ASSIGN(const Name name, name_of(keys, spelled));
  TRY_ASSIGN(const auto settings, settings_without_faults(context));
  const auto found = std::ranges::find_if(settings, [&](const options::Setting& setting) {
    const bool reaches = setting.section == name.section ||
                         (setting.section.empty() && options::concerns(setting, name.section));
    return setting.preset.empty() && setting.key == name.key && reaches;
  });
  if (found == settings.end()) {
    return Error{Code::not_found, cat(options.words[1], " has no default"),
                 cat("trainctl config set ", options.words[1], " VALUE")};
  }
  if (options.origin) context.console.notice("from " + found->origin);
  if (options.output != options::Format::text) {
    return print_data(context, options.output, options::shown_value(*found));
  }
  std::string text;
  for (const std::string& value : options::shown_words(*found))
    text += printable_line(value) + '\n';
  return context.console.out(text);
}

Status path(Context& context) {
  constexpr std::string_view k_names[] = {"", "script", "working tree", "user", "site"};
  std::string unread_tree;
  (void)read_settings(context, &unread_tree);  // a fault does not change where the files are
  Table table({"OF", "FILE", "STATE"});
  for (const options::SettingsFile& file : options::settings_files(config_sources(context))) {
    const bool there = !file.path.empty() && context.files.exists(file.path);
    const bool is_unread = file.source == options::Source::working_tree && !unread_tree.empty();
    const std::string state = is_unread ? "not read: " + unread_tree : "read";
    table.add({{std::string(k_names[static_cast<std::size_t>(file.source)])},
               {file.path},
               {there ? state : "not there"}});
  }
  return context.console.out(table.text(context.console));
}

// The user's file, and its content; "" when it does not exist yet.
struct UserFile {
  options::SettingsFile file;
  std::string text;
};

Result<UserFile> user_file(const Context& context) {
  const auto files = options::settings_files(config_sources(context));
  const auto found = std::ranges::find_if(files, [](const options::SettingsFile& file) {
    return file.source == options::Source::user;
  });
  if (found->path.empty()) {
    return Error{Code::usage, "cannot find your configuration: HOME is not an absolute path",
                 "set HOME or XDG_CONFIG_HOME to an absolute path"};
  }
  UserFile user{*found, ""};
  if (!context.files.exists(user.file.path)) return user;
  auto text = context.files.read(user.file.path);
  if (!text) return Error{Code::usage, text.error().message, text.error().hint};
  user.text = *std::move(text);
  return user;
}

// Parses the new text before writing it, so that no later command is refused because of it.
Status save(Context& context, const UserFile& user, ConfigKeys& keys, const Name& name,
            const Json& value) {
  TRY_ASSIGN(const std::string text,
             with_config_key(user.text, user.file.path, name.section, name.key, value));
  TRY(options::file_settings(user.file, text, context.environment, keys));
  // It may say what runs as the user, so others write it only where the user has let them.
  const std::string& path = user.file.path;
  TRY(context.files.write(path, text, Readers::owner_if_new));
  return context.console.out(user.file.path + '\n');
}

// Warns when a nearer source overrides the new value.
void warn_of_nearer(Context& context, const Name& name) {
  const auto settings = read_settings(context);
  if (!settings) return;
  for (const options::Setting& setting : *settings) {
    const bool same = setting.key == name.key &&
                      (setting.section == name.section || options::concerns(setting, name.section));
    if (!same || !setting.preset.empty() || setting.source >= options::Source::user) continue;
    context.console.warn(cat(setting.origin, " has another value, which takes precedence here"));
    return;
  }
}

Status set(Context& context, const ConfigOptions& options) {
  if (options.words.size() < 3) {
    return Error{Code::usage, "no value given", "trainctl config set namespace team"};
  }
  ConfigKeys keys(context.commands);
  TRY_ASSIGN(const Name name, name_of(keys, options.words[1]));
  const options::ConfigKey facts = *keys.find(name.section, name.key);
  std::vector<std::string> values(options.words.begin() + 2, options.words.end());
  if (values.size() > 1 && !facts.repeatable) {
    return Error{Code::usage, cat(options.words[1], " takes one value"), ""};
  }
  for (std::string& value : values) {
    if (value.empty()) {
      return Error{Code::usage, cat(options.words[1], ": the value is empty"),
                   cat("to remove the setting: trainctl config unset ", options.words[1])};
    }
    if (facts.value_name.empty()) value = options::switch_word(value);
    // A typed path is relative to the working directory, but one in a file to the file's directory.
    if (facts.row.type == options::Type::path && !value.starts_with('~')) {
      value = resolve_path(context.working_directory(), value);
    }
    const std::string complaint = keys.complaint(name.section, name.key, value);
    if (!complaint.empty()) {
      return Error{Code::usage, with_name(options.words[1], complaint), ""};
    }
  }
  TRY_ASSIGN(const UserFile user, user_file(context));
  TRY(save(context, user, keys, name, options::written_value(facts, values)));
  warn_of_nearer(context, name);
  return {};
}

Status unset(Context& context, const ConfigOptions& options) {
  if (options.words.size() != 2) {
    return Error{Code::usage, "no key given", "trainctl config unset namespace"};
  }
  ConfigKeys keys(context.commands);
  TRY_ASSIGN(const Name name, name_of(keys, options.words[1]));
  TRY_ASSIGN(const UserFile user, user_file(context));
  return save(context, user, keys, name, nullptr);
}

Status run_config(const ConfigOptions& options, Context& context) {
  const std::string& action = options.words.front();
  if (action == "set") return set(context, options);
  if (action == "unset") return unset(context, options);
  if (action == "get") return get(context, options);
  if (action == "trust" && options.words.size() == 1)
    return trust_working_tree(context, options.yes);
  if (action == "view" && options.words.size() == 1)
    return view_configuration(context, options.output, options.origin);
  if (action == "path" && options.words.size() == 1) return path(context);
  return Error{Code::usage, cat("config has no action `", join(options.words, " "), "`"),
               "trainctl config view, get KEY, set KEY VALUE, unset KEY, trust or path"};
}

}  // namespace

Runner define_config(const Definition& definition) {
  auto options = std::make_shared<ConfigOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Configuration", "view|get|set|unset|trust|path [KEY [VALUE...]]", options->words,
                  1, k_any_number, "what to do");
  bind("origin", options->origin);
  bind("output", options->output);
  bind("yes", options->yes);
  return [options](Context& context) { return run_config(*options, context); };
}

}  // namespace trainctl::cli
