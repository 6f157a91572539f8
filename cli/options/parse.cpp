// Wraps CLI11: passes it normalised arguments, and rewords its errors.
#include "cli/options/parse.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/options/formatter.h"
#include "cli/options/globals.h"
#include "cli/options/job_flags.h"
#include "options/table/argv.h"
#include "options/table/defaults.h"
#include "options/table/job_flag_names.h"
#include "options/table/presets.h"
#include "options/table/staying.h"
#include "options/table/synonyms.h"

namespace trainctl::cli {

namespace {

// The option as it would be typed: " --context lab".
std::string words_of(const CLI::Option& option, std::string_view name) {
  if (option.get_items_expected_max() == 0) return cat(" --", name);
  std::string words;
  const auto values = option.results();
  const bool repeats = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  for (const std::string& value : values) {
    if (repeats || &value == &values.back()) words += cat(" --", name, ' ', shell_quoted(value));
  }
  return words;
}

// "local needs an action: up, down or status".
Error missing_action(std::string_view command, std::vector<std::string> actions) {
  const std::string last = actions.back();
  const std::string first = actions.front();
  actions.pop_back();
  return {Code::usage, cat(command, " needs an action: ", join(actions, ", "), " or ", last),
          cat("trainctl ", command, ' ', first, ", for example; trainctl ", command,
              " --help says more")};
}

// CLI11 defines these two in its own way.
std::string help_of(std::string_view option) {
  return std::string(options::find_option_row("", option)->help);
}

options::KnownFlags known_flags(const CLI::App& app) {
  options::KnownFlags flags;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const auto& letters = option->get_snames();
    flags.push_back({option->get_lnames().front(), letters.empty() ? "" : letters.front(),
                     option->get_items_expected_max() > 0});
  }
  return flags;
}

bool asks_help(const std::vector<options::GivenFlag>& flags) {
  return std::ranges::any_of(flags, [](const options::GivenFlag& flag) {
    return flag.name == "help" || flag.name == "help-all";
  });
}

// Returns the arguments for CLI11, which reads a vector from its end.
std::vector<std::string> words_of(const options::GivenArgs& args) {
  std::vector<std::string> words;
  for (const options::GivenFlag& flag : args.flags) words.push_back(flag.typed());
  if (!args.positionals.empty()) words.emplace_back("--");
  words.insert(words.end(), args.positionals.begin(), args.positionals.end());
  std::ranges::reverse(words);
  return words;
}

}  // namespace

ParsedCommand::ParsedCommand(const Command& command, const options::Typed& typed)
    : command_(command), typed_(typed), app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag();  // removes CLI11's help flag; ours is added last
  runner_ = command.define(Definition{*app_, command.name, typed, globals_});
  add_globals(*app_, command_.name, globals_);
  app_->set_help_flag("-h,--help", help_of("help"))->group(std::string(k_group_general));
  app_->set_help_all_flag("--help-all", help_of("help-all"))->group(std::string(k_group_general));
}

ParsedCommand::~ParsedCommand() = default;

Result<Asked> ParsedCommand::parse(const std::vector<options::Setting>& settings,
                                   const Environment& environment) {
  return parse_line(&settings, environment);
}

Result<Asked> ParsedCommand::parse() {
  return parse_line(nullptr, {});
}

Result<Asked> ParsedCommand::parse_line(const std::vector<options::Setting>* settings,
                                        const Environment& environment) {
  const options::KnownFlags flags = known_flags(*app_);
  options::UnknownFlag unknown;
  auto args = options::read_args(flags, typed_.args, unknown);
  if (!unknown.flag.empty()) return unknown_flag(unknown.flag);
  if (!args) return std::move(args).error();
  if (!asks_help(args->flags)) {
    const std::vector<options::GivenFlag> typed = args->flags;
    if (settings != nullptr) TRY(take_defaults(flags, *settings, environment, *args));
    TRY(options::check_staying(flags, command_.name, typed, defaults_));
  }
  if (!command_.takes_words) {
    args->positionals.insert(args->positionals.end(), typed_.words.begin(), typed_.words.end());
  }
  return parse_args(*args);
}

Result<Asked> ParsedCommand::parse_args(const options::GivenArgs& args) {
  try {
    app_->parse(words_of(args));
  } catch (const CLI::CallForHelp&) {
    return Asked::help;
  } catch (const CLI::CallForAllHelp&) {
    return Asked::all_help;
  } catch (const CLI::ExtrasError&) {
    std::vector<std::string> extras = app_->remaining();
    std::erase(extras, "--");
    return unexpected(extras.empty() ? "--" : extras.front());
  } catch (const UnexpectedWord& extra) {
    return unexpected(extra.word);
  } catch (const CLI::RequiredError& missing) {
    const std::string what = split_once(missing.what(), ' ').first;
    if (what.find('|') == std::string::npos) return refused(what + " is missing");
    return missing_action(command_.name, split(what, '|'));
  } catch (const CLI::ParseError& complaint) {
    return refused(complaint.what());
  }
  read_places();
  return Asked::to_run;
}

// Collects the flags that chose cluster and namespace, by the rows of the options.
void ParsedCommand::read_places() {
  PlaceWords& place = globals_.place;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const auto row = options::find_row(command_.name, option->get_lnames().front());
    if (!row || row->place == options::Place::none || option->results().back() == row->off)
      continue;
    const bool names_cluster =
        row->place == options::Place::cluster || row->place == options::Place::secret;
    if (names_cluster && globals_.cluster_flag.empty()) globals_.cluster_flag = row->name;
    if (row->place == options::Place::cluster) place.cluster += words_of(*option, row->name);
    if (row->place == options::Place::embedded)
      place.cluster = words_of(*option, row->name) + place.cluster;
    if (row->place == options::Place::within)
      place.ns = " -n " + shell_quoted(option->results().back());
  }
}

Status ParsedCommand::take_defaults(const options::KnownFlags& flags,
                                    const std::vector<options::Setting>& settings,
                                    const Environment& environment, options::GivenArgs& args) {
  TRY_ASSIGN(const auto chosen, options::with_presets(settings, command_.name, args.flags));
  defaults_ = options::defaults_for(flags, command_.name, chosen, args.flags, environment);
  options::drop_idle(flags, command_.name, args.flags, defaults_);
  const auto configured = options::flags_of(defaults_);
  args.flags.insert(args.flags.begin(), configured.begin(), configured.end());
  return {};
}

Error ParsedCommand::unknown_flag(const std::string& flag) const {
  options::Typed every;
  every.defined = options::Typed::Defined::each_role;
  const ParsedCommand full(command_, every);
  std::vector<std::string> names;
  for (const auto& doc : flag_docs(full.app())) {
    names.insert(names.end(), doc.names.begin(), doc.names.end());
  }
  if (const auto line = options::line_for_word(command_.name, flag)) {
    return {Code::usage, cat("unknown flag ", flag, " for ", command_.name), *line};
  }
  if (const auto line = options::line_for_flag(command_.name, flag)) {
    return {Code::usage, cat("unknown flag ", flag, " for ", command_.name), *line};
  }
  const std::string near = nearest(flag, names);
  const std::string others = options::kinds_with_flag(flag);
  if (command_.name.starts_with("submit-") && !others.empty()) {
    return refused(cat("unknown flag ", flag, " for ", command_.name, "; it belongs to ", others));
  }
  return refused(cat("unknown flag ", flag, " for ", command_.name,
                     near.empty() ? "" : cat("; did you mean ", near, "?")));
}

Error ParsedCommand::unexpected(const std::string& word) const {
  Error error = refused(cat("unexpected word `", word, "`"));
  if (command_.takes_words) {
    error.hint = "your program and its arguments come after `--`: -- python3 train.py";
  }
  if (auto line = options::line_for_word(command_.name, word)) error.hint = *std::move(line);
  return error;
}

Error ParsedCommand::refused(const std::string& complaint) const {
  return {Code::usage, complaint, cat("trainctl ", command_.name, " --help lists its flags")};
}

Status print_help(const Command& command, const options::Typed& typed, Console& console) {
  const ParsedCommand parsed(command, typed);
  const bool all = typed.defined == options::Typed::Defined::each_role;
  return console.out(command_help(command, parsed.app(), console, all));
}

}  // namespace trainctl::cli
