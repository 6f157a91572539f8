// Finds the command, parses its flags, runs it, and reports what went wrong.
#include "cli/run.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "cli/command.h"
#include "cli/options/bind.h"
#include "cli/options/config_keys.h"
#include "cli/options/formatter.h"
#include "cli/options/globals.h"
#include "cli/options/parse.h"
#include "cli/output/hint.h"
#include "options/settings/settings.h"
#include "options/table/command_line.h"
#include "options/table/defaults.h"
#include "options/table/synonyms.h"
#include "view/ci.h"

namespace trainctl::cli {
namespace {

// The daemon runs with the options it was started with, and must be able to start again even if a
// file has changed by then.
bool is_configured(const Command& command, const options::Typed& typed) {
  const bool is_daemon =
      command.name == "local" && !typed.args.empty() && typed.args.front() == "serve";
  return command.configured && !is_daemon;
}

// Writes output for the CI system of --ci, or of the environment. With any choice, nothing that a
// job prints is a command to the system that the environment names.
void set_ci(std::optional<CiSystem> choice, Context& context) {
  const CiSystem known = view::ci_system_of(context.environment);
  context.ci = choice.value_or(known);
  const bool has_commands = known != CiSystem::none && known != CiSystem::plain;
  context.console.ci = has_commands ? known : context.ci;
}

bool asks_program_help(const std::string& word) {
  return word == "-h" || word == "--help" || word == "--help-all";
}

// A user who has mistyped a variable would search for the mistake in the command.
void warn_of_variables(Context& context) {
  ConfigKeys keys(context.commands);
  for (const options::UnknownVariable& variable :
       options::unknown_variables(context.environment, keys)) {
    if (variable.near.empty()) continue;
    context.console.warn(
        cat(variable.name, " is not a setting: did you mean ", variable.near, "?"));
  }
}

// True for a setting that a line has also when the user has not typed it.
bool is_of_every_line(const options::Setting& setting) {
  constexpr std::string_view k_kept = "template overlay set preset api runtime no-history";
  const options::OptionRow* row = options::find_option_row(setting.section, setting.key);
  if (row == nullptr) row = options::find_option_row("submit-pytorch", setting.key);
  return row == nullptr || options::is_global(*row) || options::lists(k_kept, setting.key);
}

void warn_of_older_names(const ParsedCommand& parsed, const Context& context) {
  for (const options::OptionRow& row : parsed.older_names()) {
    context.console.warn(cat("--", row.name, " is deprecated and will be removed: write --",
                             row.newer, ", which means the same"));
  }
}

struct Configuration {
  Result<std::vector<options::Setting>> settings = std::vector<options::Setting>{};
  std::string unread_tree;          // why the working tree's file is not read; "" = it is
  std::optional<Error> site_fault;  // why the site's file is ignored
};

Configuration read_configuration(const Command& command, const Context& context) {
  // A command that only looks does its work even if the site's file is broken.
  const bool looks = command.effect == options::Effect::reads;
  Configuration configuration;
  configuration.settings = read_settings(context, &configuration.unread_tree,
                                         looks ? &configuration.site_fault : nullptr);
  if (context.literal && configuration.settings) {
    std::erase_if(*configuration.settings, std::not_fn(is_of_every_line));
  }
  if (context.configuration.script && configuration.settings) {
    const auto farther = std::ranges::find_if(*configuration.settings, [](const auto& setting) {
      return setting.source > options::Source::script;
    });
    const auto& settings = context.configuration.script->settings;
    configuration.settings->insert(farther, settings.begin(), settings.end());
  }
  return configuration;
}

// Help must work with any configuration, even a broken one.
Status help(const Command& command, options::Typed typed, const HelpPart& part,
            const Globals& globals, Context& context) {
  TRY(apply_globals(command.name, globals, context));
  set_ci(globals.ci, context);
  return print_help(command, std::move(typed), part, context.console);
}

Status run_parsed(const Command& command, options::Typed typed, Context& context) {
  ParsedCommand parsed(command, typed);
  const Globals& globals = parsed.globals();
  TRY_ASSIGN(const Asked asked, parsed.parse());
  if (asked != Asked::to_run) {
    const HelpPart part{asked == Asked::all_help, parsed.help_group()};
    return help(command, std::move(typed), part, globals, context);
  }
  context.configuration.tree_config = globals.tree_config;
  const bool configured = is_configured(command, typed);
  const Configuration configuration =
      configured ? read_configuration(command, context) : Configuration{};
  TRY_ASSIGN(const auto& settings, configuration.settings);
  const auto refuse = [&parsed](Status status) -> Status {
    return options::with_origin(std::move(status).error(), parsed.defaults());
  };
  Status taken = parsed.take_defaults(settings, context.environment);
  if (!taken) {
    tell_of_tree(context, configuration.unread_tree);  // a preset may be there
    return refuse(std::move(taken));
  }
  Status applied = apply_globals(command.name, globals, context);
  if (!applied) return refuse(std::move(applied));
  set_ci(globals.ci, context);
  const bool is_told = context.configuration.script != nullptr;  // by the line with the script
  if (configured && !is_told) {
    warn_of_variables(context);
    warn_of_older_names(parsed, context);
    if (configuration.site_fault) context.console.warn(configuration.site_fault->message);
    tell_of_tree(context, configuration.unread_tree);
  }
  Status done = parsed.runner()(context);
  return done ? done : refuse(std::move(done));
}

Status run_command(std::vector<std::string> args, Context& context) {
  if (args.empty() || asks_program_help(args.front())) {
    return context.console.out(program_help(context.commands, context.console));
  }
  if (args.front() == "--version" || args.front() == "-V") args.front() = "version";
  TRY_ASSIGN(options::CommandLine line, options::read_command_line(std::move(args)));
  const Command* command = context.commands.find(line.name);
  if (command == nullptr)
    return options::unknown_command(context.commands.shown_names(), line.name, line.typed);
  return run_parsed(*command, std::move(line.typed), context);
}

void report(const Error& error, const Context& context) {
  Console& console = context.console;
  if (error.message.empty()) return;
  const auto label = [&console](std::string_view text, Colour colour) {
    return console.err_is_tty ? console.painted(text, colour) : std::string(text);
  };
  // A signal was sent on purpose.
  const bool is_wanted = ending_signal(error.code) != nullptr;
  // Without a reader the program ends as the shell's own tools do, unless a job goes on.
  if (error.code != Code::broken_pipe) {
    console.err(cat(is_wanted ? "" : label("error:", Colour::red) + " ",
                    printable_line(error.message), "\n"));
  }
  if (error.hint.empty()) return;
  for (const auto& line : split(with_cluster_flags(error.hint, context), '\n')) {
    console.err(cat(label("hint:", Colour::cyan), " ", printable_line(line), "\n"));
  }
}

}  // namespace

int run(const std::vector<std::string>& args, Context& context) {
  Status status;
  set_ci(std::nullopt, context);
  context.typed = args;
  context.run_line = run;
  context.configuration.worker_context = worker_context;
  try {
    status = run_command(args, context);
  } catch (const std::exception& failure) {
    status = Error{Code::error, cat("internal error: ", failure.what()),
                   "this is a bug in trainctl: please report it with the command line"};
  }
  context.console.unpin();
  const EndingSignals* const signals = context.loop.known_ending_signals();
  if (status && signals != nullptr && signals->pending() != nullptr) {
    status = Error{signals->pending()->code, std::string(signals->pending()->what_happened)};
  }
  if (status) return 0;
  report(status.error(), context);
  return static_cast<int>(status.error().code);
}

}  // namespace trainctl::cli
