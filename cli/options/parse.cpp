// Wraps CLI11: passes it normalised arguments, and rewords its errors.
#include "cli/options/parse.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/options/argv.h"
#include "cli/options/defaults.h"
#include "cli/options/formatter.h"
#include "cli/options/globals.h"
#include "cli/options/job_flags.h"
#include "cli/options/staying.h"
#include "cli/synonyms.h"

namespace trainctl::cli {

namespace {

// The flags among normalised arguments, without the positional ones.
std::vector<std::string> flags_among(const std::vector<std::string>& words) {
  return {words.begin(), std::ranges::find(words, "--")};
}

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
  return std::string(find_option_row("", option)->help);
}

bool asks_help(const std::vector<std::string>& words) {
  const auto flags = flags_among(words);
  return std::ranges::any_of(
      flags, [](const std::string& word) { return word == "--help" || word == "--help-all"; });
}

}  // namespace

ParsedCommand::ParsedCommand(const Command& command, const Typed& typed)
    : command_(command), typed_(typed), app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag();  // removes CLI11's help flag; ours is added last
  runner_ = command.define(Definition{*app_, command.name, typed, globals_});
  add_globals(*app_, command_.name, globals_);
  app_->set_help_flag("-h,--help", help_of("help"))->group(std::string(k_group_general));
  app_->set_help_all_flag("--help-all", help_of("help-all"))->group(std::string(k_group_general));
}

ParsedCommand::~ParsedCommand() = default;

Result<Asked> ParsedCommand::parse(const std::vector<Setting>& settings,
                                   const Environment& environment) {
  std::vector<std::string> args = typed_.args;
  std::vector<std::string> behind_dashes;
  if (const auto dashes = std::ranges::find(args, "--"); dashes != args.end()) {
    behind_dashes.assign(dashes + 1, args.end());
    args.erase(dashes, args.end());
  }
  UnknownFlag unknown;
  auto words = normalised(*app_, args, unknown);
  if (!unknown.flag.empty()) return unknown_flag(unknown.flag);
  if (!words) return std::move(words).error();
  if (!asks_help(*words)) {
    const std::vector<std::string> flags = flags_among(*words);
    if (!settings.empty()) take_defaults(settings, environment, flags, *words);
    TRY(check_staying(*app_, command_.name, flags, defaults_));
  }
  if (!behind_dashes.empty()) {
    const bool marked = std::ranges::find(*words, "--") != words->end();
    if (!marked) words->emplace_back("--");
    words->insert(words->end(), behind_dashes.begin(), behind_dashes.end());
  }
  std::ranges::reverse(*words);  // CLI11 reads a vector from its end
  try {
    app_->parse(*std::move(words));
  } catch (const CLI::CallForHelp&) {
    return Asked::help;
  } catch (const CLI::CallForAllHelp&) {
    return Asked::all_help;
  } catch (const CLI::ExtrasError&) {
    std::vector<std::string> extras = app_->remaining();
    std::erase(extras, "--");
    const std::string word = extras.empty() ? "--" : extras.front();
    const std::string complaint = cat("unexpected word `", word, "`");
    if (auto line = line_for_word(command_.name, word)) {
      return Error{Code::usage, complaint, *std::move(line)};
    }
    return refused(complaint);
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
    const auto row = find_row(command_.name, option->get_lnames().front());
    if (!row || row->place == Place::none || option->results().back() == row->off) continue;
    const bool names_cluster = row->place == Place::cluster || row->place == Place::secret;
    if (names_cluster && globals_.cluster_flag.empty()) globals_.cluster_flag = row->name;
    if (row->place == Place::cluster) place.cluster += words_of(*option, row->name);
    if (row->place == Place::embedded) place.cluster = words_of(*option, row->name) + place.cluster;
    if (row->place == Place::within) place.ns = " -n " + shell_quoted(option->results().back());
  }
}

void ParsedCommand::take_defaults(const std::vector<Setting>& settings,
                                  const Environment& environment,
                                  const std::vector<std::string>& typed,
                                  std::vector<std::string>& words) {
  defaults_ = defaults_for(*app_, command_.name, settings, typed, environment);
  drop_idle(*app_, command_.name, typed, defaults_);
  const auto configured = words_of(defaults_);
  words.insert(words.begin(), configured.begin(), configured.end());
}

Error ParsedCommand::unknown_flag(const std::string& flag) const {
  Typed every;
  every.every_flag = true;
  const ParsedCommand full(command_, every);
  std::vector<std::string> names;
  for (const auto& doc : flag_docs(full.app())) {
    names.insert(names.end(), doc.names.begin(), doc.names.end());
  }
  if (const auto line = line_for_word(command_.name, flag)) {
    return {Code::usage, cat("unknown flag ", flag, " for ", command_.name), *line};
  }
  if (const auto line = line_for_flag(command_.name, flag)) {
    return {Code::usage, cat("unknown flag ", flag, " for ", command_.name), *line};
  }
  const std::string near = nearest(flag, names);
  const std::string others = kinds_with_flag(flag);
  if (command_.name.starts_with("submit-") && !others.empty()) {
    return refused(cat("unknown flag ", flag, " for ", command_.name, "; it belongs to ", others));
  }
  return refused(cat("unknown flag ", flag, " for ", command_.name,
                     near.empty() ? "" : cat("; did you mean ", near, "?")));
}

Error ParsedCommand::refused(const std::string& complaint) const {
  const bool program = command_.takes_words && complaint.starts_with("unexpected word");
  return {Code::usage, complaint,
          program ? "the words of your program come after `--`: -- python3 train.py"
                  : cat("trainctl ", command_.name, " --help lists its flags")};
}

Result<std::size_t> command_position(const std::vector<std::string>& args) {
  Globals unused;
  CLI::App app;
  add_globals(app, "", unused);
  for (std::size_t at = 0; at < args.size(); ++at) {
    const std::string& word = args[at];
    if (word.size() < 2 || word[0] != '-') return at;
    const CLI::Option* option = app.get_option_no_throw(split_once(word, '=').first);
    if (option == nullptr) {
      return Error{Code::usage, cat("unknown flag ", word, " before a command"),
                   "write the command first: trainctl COMMAND " + word};
    }
    const bool value_follows = word.find('=') == std::string::npos;
    if (option->get_items_expected_max() > 0 && value_follows) ++at;
  }
  return Error{Code::usage, "no command given", "trainctl --help lists the commands"};
}

Status print_help(const Command& command, Console& console, bool all) {
  Typed typed;
  typed.every_flag = all;
  const ParsedCommand parsed(command, typed);
  return console.out(command_help(command, parsed.app(), console, all));
}

}  // namespace trainctl::cli
