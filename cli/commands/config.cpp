// `trainctl config`: which defaults flags have here, and from where; sets those of the user's file.
#include <algorithm>
#include <memory>

#include "base/text/table.h"
#include "base/text/text.h"
#include "base/value/config_text.h"
#include "cli/commands.h"
#include "cli/commands/config_trust.h"
#include "cli/commands/config_view.h"
#include "cli/options/bind.h"
#include "cli/options/config_keys.h"
#include "cli/output/output.h"
#include "options/settings/settings.h"
#include "options/table/choices.h"
#include "options/table/defaults.h"

namespace trainctl::cli {
namespace {

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
  if (halves.first == options::k_presets) {
    return Error{
        Code::usage, cat("config get, set and unset do not know the key ", spelled),
        "edit the file that trainctl config path shows; trainctl config get presets prints "
        "what is set"};
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
  constexpr std::string_view k_names[] = {"", "working tree", "user", "site"};
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
  TRY(context.files.exists(path) ? context.files.write(path, text)
                                 : context.files.write_private(path, text));
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
      const bool named = complaint.starts_with("--");
      return Error{Code::usage, named ? complaint : cat(options.words[1], ": ", complaint), ""};
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
