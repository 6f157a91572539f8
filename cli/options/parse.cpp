// Wraps CLI11: refuses what it would misread, adds the defaults, and rewords its errors.
#include "cli/options/parse.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/options/formatter.h"
#include "cli/options/globals.h"
#include "manifest/secrets.h"
#include "options/table/defaults.h"
#include "options/table/flag_synonyms.h"
#include "options/table/follow_rules.h"
#include "options/table/rows.h"
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

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

}  // namespace

ParsedCommand::ParsedCommand(const Command& command, const options::Typed& typed)
    : command_(command), typed_(typed), app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag();  // removes CLI11's help flag; ours is added last
  runner_ = command.define(Definition{*app_, command.name, typed, globals_, define_flag_});
  add_globals(*app_, command_.name, globals_);
  app_->set_help_flag("-h,--help", help_of("help"))->group(std::string(k_group_general));
  app_->set_help_all_flag("--help-all", help_of("help-all"))->group(std::string(k_group_general));
}

ParsedCommand::~ParsedCommand() = default;

Result<Asked> ParsedCommand::parse() {
  std::vector<std::string> words = typed_.args;
  TRY(check_values_follow(words));
  if (!command_.takes_words && !typed_.words.empty()) {
    words.emplace_back("--");
    words.insert(words.end(), typed_.words.begin(), typed_.words.end());
  }
  std::ranges::reverse(words);  // CLI11 reads a vector from its end
  try {
    app_->parse(std::move(words));
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
  return Asked::to_run;
}

// The option of a flag as it is typed, "--image" or "-i"; nullptr = there is none.
CLI::Option* ParsedCommand::find(const std::string& flag) {
  if (define_flag_ && flag.starts_with("--")) define_flag_(flag.substr(2));
  return app_->get_option_no_throw(flag);
}

// CLI11's help flag takes no value: moves the group of `--help GROUP` or `--help=GROUP` out of
// the words. False when `word` is another flag.
bool ParsedCommand::take_help_group(std::vector<std::string>& words,
                                    std::vector<std::string>::iterator word) {
  const Halves halves = split_once(*word, '=');
  if (halves.first != "--help" && halves.first != "-h") return false;
  if (halves.found) {
    help_group_ = halves.second;
    *word = halves.first;
  } else if (word + 1 != words.end() && !word[1].starts_with('-')) {
    help_group_ = word[1];
    words.erase(word + 1);
  }
  return true;
}

// CLI11 takes the word behind `--image=` for the image, also when it is a flag, and a flag behind
// `--image` as well; it reads "=4" in -g=4, and drops a word `++`.
Status ParsedCommand::check_values_follow(std::vector<std::string>& words) {
  int names = 0;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "++") return unexpected(*word);
    // The flags of the program that exec starts are none of its own.
    const bool is_name = !word->starts_with('-');
    if (is_name && ++names == 2 && command_.name == "exec") return unexpected(*word);
    if (word->size() < 2 || word->front() != '-' || take_help_group(words, word)) continue;
    TRY_ASSIGN(const std::string flag,
               word->starts_with("--") ? flag_before_value(*word) : letter_before_value(*word));
    if (flag.empty()) continue;
    if (++word == words.end() || word->empty()) return needs_value(flag);
    if (word->starts_with("--") && find(split_once(*word, '=').first) != nullptr) {
      return needs_value(flag, cat(", and the next argument, ", *word, ", is a flag"));
    }
  }
  return {};
}

Error ParsedCommand::needs_value(const std::string& flag, std::string_view why) {
  const CLI::Option* option = find(flag);
  const bool is_long = option != nullptr && !option->get_lnames().empty();
  const auto row = is_long ? options::find_row(command_.name, option->get_lnames().front())
                           : std::optional<options::OptionRow>();
  const std::string words = row ? join(row->words.texts(), "|") : "";
  return {Code::usage, cat(flag, " needs a value", why),
          cat("write ", flag, '=', words.empty() ? "VALUE" : words, ", or leave the flag out")};
}

// The flag of this word if its value is the next one, as in "--name team"; else "".
Result<std::string> ParsedCommand::flag_before_value(const std::string& word) {
  const Halves halves = split_once(word, '=');
  const CLI::Option* option = find(halves.first);
  if (option == nullptr) return unknown_flag(halves.first);
  if (halves.found && halves.second.empty()) return needs_value(halves.first);
  return halves.found || !takes_value(*option) ? std::string() : halves.first;
}

// The same for short flags: "-n team" and "-fn team", but not "-f", "-nteam" or "-n=team".
Result<std::string> ParsedCommand::letter_before_value(std::string& word) {
  for (std::size_t at = 1; at < word.size(); ++at) {
    const std::string flag{'-', word[at]};
    const CLI::Option* option = find(flag);
    if (option == nullptr) return unknown_flag(at == 1 ? word : flag);
    if (!takes_value(*option)) continue;
    if (at + 1 == word.size()) return flag;
    if (word[at + 1] == '=') word.erase(at + 1, 1);
    if (at + 1 == word.size()) return needs_value(flag);
    break;
  }
  return std::string();
}

std::vector<options::GivenFlag> ParsedCommand::typed_flags() const {
  std::vector<options::GivenFlag> typed;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->get_lnames().empty()) continue;
    for (const std::string& value : option->results()) {
      typed.push_back({option->get_lnames().front(), value});
    }
  }
  return typed;
}

std::vector<options::OptionRow> ParsedCommand::older_names() const {
  std::vector<options::OptionRow> older;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const auto row = options::find_row(command_.name, option->get_lnames().front());
    if (row && !row->newer.empty()) older.push_back(*row);
  }
  return older;
}

// Collects the flags that chose cluster and namespace, by the rows of the options.
void ParsedCommand::read_cluster_flags() {
  using enum options::ConnectionRole;
  ClusterFlags& flags = globals_.cluster_flags;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const auto row = options::find_row(command_.name, option->get_lnames().front());
    if (!row || row->connection == none || option->results().back() == row->off) continue;
    const bool names_cluster = row->connection == cluster || row->connection == secret;
    if (names_cluster && globals_.cluster_flag.empty()) globals_.cluster_flag = row->name;
    if (row->connection == cluster) flags.cluster += words_of(*option, row->name);
    if (row->connection == embedded) flags.cluster = words_of(*option, row->name) + flags.cluster;
    if (row->connection == within) flags.ns = " -n " + shell_quoted(option->results().back());
  }
}

// Which defaults apply depends on the typed flags, so CLI11's configuration files are of no use.
Status ParsedCommand::take_defaults(const std::vector<options::Setting>& settings,
                                    const Environment& environment) {
  const std::vector<options::GivenFlag> typed = typed_flags();
  TRY_ASSIGN(auto chosen, options::with_presets(settings, command_.name, typed));
  std::erase_if(chosen, [this](const options::Setting& setting) {
    return !options::concerns(setting, command_.name) || find(cat("--", setting.key)) == nullptr;
  });
  defaults_ = options::defaults_for(command_.name, chosen, typed, environment);
  options::drop_unused_defaults(command_.name, typed, defaults_);
  TRY(options::check_follow_rules(command_.name, typed, defaults_));
  for (const options::Setting& setting : defaults_) TRY(take(setting));
  read_cluster_flags();
  return {};
}

Status ParsedCommand::take(const options::Setting& setting) {
  if (setting.values.empty()) return {};
  CLI::Option* option = find(cat("--", setting.key));
  try {
    for (const std::string& value : setting.values) option->add_result(value);
    option->run_callback();
  } catch (const CLI::ParseError& complaint) {
    return refused(complaint.what());
  }
  return {};
}

// The value that the line has behind a flag that it does not define: "4" of "--nodes 4" and
// "--nodes=4".
std::string ParsedCommand::typed_value(const std::string& flag) const {
  const auto& args = typed_.args;
  const auto found = std::ranges::find_if(
      args, [&flag](const std::string& word) { return split_once(word, '=').first == flag; });
  if (found == args.end()) return "";
  if (const Halves halves = split_once(*found, '='); halves.found) return halves.second;
  return found + 1 == args.end() || found[1].starts_with('-') ? "" : found[1];
}

// The first word that is a program of the user's, as in `submit-pytorch train.py --lr 1`, and not a
// flag's value; "" where a flag `end` comes first.
std::string ParsedCommand::program_before(const std::string& end) {
  for (auto word = typed_.args.begin(); word != typed_.args.end() && *word != end; ++word) {
    const CLI::Option* option = find(*word);
    if (option != nullptr && takes_value(*option)) {
      if (++word == typed_.args.end()) break;
    } else if (command_.takes_words && word->ends_with(".py")) {
      return *word;
    }
  }
  return "";
}

Error ParsedCommand::unknown_flag(const std::string& flag) {
  if (std::string program = program_before(flag); !program.empty()) return unexpected(program);
  auto line = options::line_for_word(command_.name, flag);
  // In `submit pytorch --workers 2` the blank is wrong.
  if (command_.name == "submit" && !typed_.args.empty()) {
    line = options::line_for_word(command_.name, typed_.args.front());
    if (line) return unexpected(typed_.args.front());
  }
  if (!line) {
    auto [name, value] = options::foreign_flag(flag);
    if (value.empty()) value = typed_value(flag);
    const bool is_of_script = options::names_script(command_.name, typed_.args);
    if (is_of_script) line = options::line_beside_script(name, value);
    if (!line) line = options::line_for_flag(command_.name, name, value);
  }
  if (line) return {Code::usage, cat("unknown flag ", flag, " for ", command_.name), *line};
  options::Typed every;
  every.defined = options::Typed::Defined::each_role;
  const ParsedCommand full(command_, every);
  std::vector<std::string> names;
  for (const auto& doc : flag_docs(full.app())) {
    names.insert(names.end(), doc.names.begin(), doc.names.end());
  }
  const std::string near = nearest(flag, names);
  const std::string others = options::kinds_with_flag(flag);
  if (command_.name.starts_with("submit-") && !others.empty()) {
    return refused(cat("unknown flag ", flag, " for ", command_.name, "; it belongs to ", others));
  }
  Error error = refused(cat("unknown flag ", flag, " for ", command_.name,
                            near.empty() ? "" : cat("; did you mean ", near, "?")));
  if (near.empty() && command_.name.starts_with("submit-")) {
    error.hint += "; a flag of your program stands behind --, with the program";
  }
  return error;
}

// The typed line with `instead` for the word at `at`. Flags that stand behind the user's program
// and that the command knows come before it. nullopt where the line would repeat a secret.
std::optional<std::string> ParsedCommand::line_with(std::size_t at, const std::string& instead) {
  std::string flags;
  std::string rest;
  for (std::size_t word = 0; word < typed_.args.size(); ++word) {
    const std::string& text = typed_.args[word];
    if (word == at) continue;
    const CLI::Option* option = find(split_once(text, '=').first);
    const bool moves = word < at || (command_.name != "exec" && option != nullptr);
    // No name says that the value of a variable is harmless.
    const bool is_variable = text.starts_with("--env") || text.starts_with("-e");
    if (moves && is_variable) return std::nullopt;
    std::string& side = moves ? flags : rest;
    side += " " + shell_quoted(text);
    const bool has_value = word > at && moves && text.find('=') == std::string::npos;
    if (has_value && takes_value(*option) && word + 1 < typed_.args.size()) {
      side += " " + shell_quoted(typed_.args[++word]);
    }
  }
  std::string line = cat("trainctl ", command_.name, flags, " ", instead, rest);
  if (job::text_without_secrets(line) != line) return std::nullopt;
  return line;
}

Error ParsedCommand::unexpected(const std::string& word) {
  if (const auto time = options::time_behind_t(command_.name, typed_.args)) {
    return {Code::usage, cat("unexpected word `", *time, "`"),
            *options::line_for_flag(command_.name, "--time", *time)};
  }
  Error error = refused(cat("unexpected word `", word, "`"));
  if (command_.takes_words) {
    error.hint = "your program and its arguments come after `--`: -- python3 train.py";
  }
  const auto at = std::ranges::find(typed_.args, word);
  const auto instead = options::instead_of_word(command_.name, word);
  if (instead && at != typed_.args.end()) {
    error.hint = line_with(static_cast<std::size_t>(at - typed_.args.begin()), *instead)
                     .value_or(cat("trainctl ", command_.name, " ", *instead));
  } else if (auto line = options::line_for_word(command_.name, word)) {
    error.hint = *std::move(line);
  }
  return error;
}

// The flag of "--tail: `-5` is less than -1" is explained with its group.
Error ParsedCommand::refused(const std::string& complaint) {
  const std::string flag = split_once(complaint, ':').first;
  const CLI::Option* option = flag.starts_with("--") ? find(flag) : nullptr;
  const std::string help = cat("trainctl ", command_.name, " --help");
  if (option == nullptr) return {Code::usage, complaint, cat(help, " lists its flags")};
  const std::string group = lower(split_once(option->get_group(), ' ').first);
  return {Code::usage, complaint, cat(help, ' ', group, " explains ", flag)};
}

Status print_help(const Command& command, options::Typed typed, const HelpPart& part,
                  Console& console) {
  typed.defined = options::Typed::Defined::each_role;
  const ParsedCommand parsed(command, typed);
  if (part.group.empty()) {
    return console.out(command_help(command, parsed.app(), console, part.all));
  }
  TRY_ASSIGN(const std::string text, group_help(command, parsed.app(), part.group, console));
  return console.out(text);
}

}  // namespace trainctl::cli
