// Looks up flags of the commands as keys, building no more of the commands than needed.
#include "cli/options/config_keys.h"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/command.h"
#include "cli/options/bind.h"
#include "cli/options/formatter.h"
#include "cli/options/job_flags.h"
#include "cli/options/parse.h"
#include "options/table/rows.h"

namespace trainctl::cli {
namespace {

bool is_help(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return !names.empty() && (names.front() == "help" || names.front() == "help-all");
}

bool is_shown(const CLI::Option& option) {
  return !option.get_positional() && !option.get_group().empty() && !is_help(option);
}

// A test finds an option without a row.
options::OptionRow row_of(const std::string& section, const std::string& key) {
  return options::find_row(section, key)
      .value_or(options::OptionRow{.name = "", .commands = "", .type = options::Type::text});
}

const job::Kind* kind_of_section(const std::string& section) {
  if (!options::reads_submit_keys(section)) return nullptr;
  return job::find_kind(section.substr(options::k_submit_prefix.size()));
}

// A row of the job flags, also for one role: "memory", "worker-memory".
const job::Flag* job_row(const std::string& section, const std::string& key) {
  if (!options::has_job_flags(section)) return nullptr;
  const job::Kind* kind = kind_of_section(section);
  const job::Flag* row = options::find_job_flag(key, kind).flag;
  const bool shown = row != nullptr && row->common != job::k_not_shown && row->instead.empty();
  return shown && (kind == nullptr || job::applies_to(*row, *kind)) ? row : nullptr;
}

}  // namespace

struct ConfigKeys::Entry {
  explicit Entry(const Command& command) : parsed(command, typed) {}
  options::Typed typed;
  ParsedCommand parsed;
};

ConfigKeys::ConfigKeys(const CommandTable& commands) : commands_(commands) {}
ConfigKeys::~ConfigKeys() = default;

// All submit-KIND commands share the flags that are not rows of the job flags.
CLI::App& ConfigKeys::app(const std::string& section) {
  std::unique_ptr<Entry>& entry = apps_[section];
  if (!entry) entry = std::make_unique<Entry>(*commands_.find(section));
  return entry->parsed.app();
}

std::optional<options::ConfigKey> ConfigKeys::find(const std::string& section,
                                                   const std::string& key) {
  if (const job::Flag* row = job_row(section, key)) {
    return options::ConfigKey{std::string(row->value_name), row->repeatable, row_of(section, key)};
  }
  const CLI::Option* option =
      app(section.empty() ? "submit-pytorch" : section).get_option_no_throw("--" + key);
  if (option == nullptr || !is_shown(*option)) return std::nullopt;
  return options::ConfigKey{option->get_type_name(),
                            option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll,
                            row_of(section, key)};
}

std::vector<std::string> ConfigKeys::names(const std::string& section) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const CLI::Option* option :
       app(section.empty() ? "submit-pytorch" : section).get_options()) {
    if (!is_shown(*option)) continue;
    for (const std::string& name : option->get_lnames()) add(name);
  }
  for (const job::Flag& row : job::flags()) {
    if (job_row(section, std::string(row.name)) != nullptr) add(std::string(row.name));
  }
  return names;
}

std::string ConfigKeys::complaint(const std::string& section, const std::string& key,
                                  const std::string& value) {
  if (const job::Flag* row = job_row(section, key)) {
    const auto checked = row->check == nullptr ? Result<Json>(Json()) : row->check(value);
    return checked ? "" : checked.error().message;
  }
  CLI::Option* option =
      app(section.empty() ? "submit-pytorch" : section).get_option_no_throw("--" + key);
  if (option == nullptr) return "";
  try {
    option->clear();
    option->add_result(value);
    option->run_callback();
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> ConfigKeys::sections() const {
  std::vector<std::string> names;
  for (const Command& command : commands_.all()) {
    if (command.configured) names.push_back(command.name);
  }
  return names;
}

bool ConfigKeys::is_section(const std::string& name) const {
  const Command* command = commands_.find(name);
  return command != nullptr && command->configured && command->name == name;
}

options::ConfigSources config_sources(const Context& context) {
  if (!context.configuration.tree_file) {
    context.configuration.tree_file = std::make_shared<const options::TreeFile>(
        options::find_tree_file(context.files, context.environment, context.working_directory()));
  }
  return {context.files, context.environment, *context.configuration.tree_file,
          context.configuration.tree_config};
}

Result<std::vector<options::Setting>> read_settings(const Context& context,
                                                    std::string* unread_tree,
                                                    std::optional<Error>* site_fault) {
  ConfigKeys keys(context.commands);
  return options::read_settings(config_sources(context), keys, unread_tree, site_fault);
}

Result<std::string> worker_context(const Context& context, const std::string& worker) {
  std::optional<Error> site_fault;  // told already
  TRY_ASSIGN(const auto settings, read_settings(context, nullptr, &site_fault));
  for (const options::Setting& setting : settings) {
    if (setting.section == options::k_worker_contexts && setting.key == worker)
      return setting.values.front();
  }
  return Error{Code::usage, "no context is known for it",
               cat("add to a file that trainctl config path shows: multikueue: {contexts: {",
                   printable_line(worker), ": CONTEXT}}")};
}

void tell_of_tree(const Context& context, const std::string& unread) {
  if (unread.empty()) return;
  const std::string path = printable_line(config_sources(context).tree.path);
  context.console.notice(cat(path, " is not read: ", unread));
}

}  // namespace trainctl::cli
