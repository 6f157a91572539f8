// The hidden `trainctl __complete -- WORD...`: what could stand for the last word, one
// WORD<TAB>DESCRIPTION a line. Commands and flags come from the tables, jobs from the cluster.
#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/jobs/find_job.h"
#include "cli/options/parse.h"
#include "cli/output/formatter.h"

namespace trainctl::cli {
namespace {

// A shell waits for this: better no names than a prompt that hangs.
constexpr Duration k_patience = std::chrono::seconds(1);

struct Answer {
  std::string word, description;
};
using Answers = std::vector<Answer>;

void add_commands(Answers& answers) {
  for (const Command& command : commands()) {
    if (command.group.empty()) continue;
    answers.push_back({std::string(command.name), std::string(command.summary)});
    if (!command.alias.empty()) {
      answers.push_back({std::string(command.alias), std::string(command.summary)});
    }
  }
}

void add_flags(const CLI::App& app, Answers& answers) {
  for (const FlagDoc& doc : flag_docs(app)) {
    for (const std::string& name : doc.names) answers.push_back({name, doc.help});
  }
}

// "json|yaml|name" of a choice, "[=none|client]" of an optional one.
std::vector<std::string> choices(const CLI::Option& option) {
  std::string value = option.get_type_name();
  if (value.starts_with("[=") && value.ends_with("]")) value = value.substr(2, value.size() - 3);
  if (value.find('|') == std::string::npos) return {};
  return split(value, '|');
}

void add_kinds(Answers& answers, const std::string& prefix = "") {
  for (const job::Kind& kind : job::kinds()) {
    answers.push_back({prefix + std::string(kind.alias), std::string(kind.summary)});
  }
}

void add_values(const CLI::Option& option, const std::string& prefix, Answers& answers) {
  for (const std::string& choice : choices(option)) {
    answers.push_back({prefix + choice, option.get_description()});
  }
  if (option.get_type_name() == "KIND") add_kinds(answers, prefix);
}

// Jobs of the namespace the line is about; silence when the cluster does not answer in time.
void add_jobs(const ParsedCommand& parsed, Context& context, Answers& answers) {
  if (!apply_globals(parsed.globals(), context)) return;
  context.local.start = false;
  if (context.connection_flags.request_timeout.empty()) {
    context.connection_flags.request_timeout = cat(k_patience / std::chrono::seconds(1), "s");
  }
  context.patient = false;
  const bool quiet = std::exchange(context.console.quiet, true);
  const auto jobs = list_jobs(context, {});
  context.console.quiet = quiet;
  if (!jobs) return;
  for (const FoundJob& job : *jobs) {
    answers.push_back({job.name(), std::string(job.kind->resource.kind)});
  }
}

void add_config_words(std::size_t given, Answers& answers) {
  if (given == 0) answers = {{"view", ""}, {"set", ""}, {"unset", ""}, {"path", ""}};
  if (given != 1) return;
  for (const std::string& name : ConfigKeys().names("")) answers.push_back({name, ""});
}

void add_positionals(const Command& command, const ParsedCommand& parsed, std::size_t given,
                     Context& context, Answers& answers) {
  for (const CLI::Option* option : parsed.app().get_options()) {
    if (!option->get_positional()) continue;
    const std::string what = option->get_type_name();
    if (what.starts_with("JOB")) add_jobs(parsed, context, answers);
    if (what == "SHELL") answers = {{"bash", ""}, {"zsh", ""}, {"fish", ""}};
    if (what == "COMMAND") add_commands(answers);
  }
  if (command.name == "local") answers = {{"up", ""}, {"down", ""}, {"status", ""}};
  if (command.name == "config") add_config_words(given, answers);
  if (command.name != "template") return;
  if (given == 0) answers = {{"list", ""}, {"show", ""}, {"eject", ""}};
  if (given == 1) add_kinds(answers);
}

void add_for_command(const Command& command, std::vector<std::string> words,
                     const std::string& current, Context& context, Answers& answers) {
  Typed typed;
  typed.every_flag = current.starts_with("--");
  typed.args = words;
  ParsedCommand parsed(command, typed);
  const CLI::App& app = parsed.app();
  const auto equals = current.find('=');
  if (current.starts_with("--") && equals != std::string::npos) {
    const auto* option = app.get_option_no_throw(current.substr(0, equals));
    if (option != nullptr) add_values(*option, current.substr(0, equals + 1), answers);
    return;
  }
  if (current.starts_with("-")) return add_flags(app, answers);
  const auto* before = words.empty() ? nullptr : app.get_option_no_throw(words.back());
  if (before != nullptr && before->get_items_expected_max() > 0) {
    return add_values(*before, "", answers);
  }
  const auto settings = read_settings(context);
  const bool whole =
      parsed.parse(settings ? *settings : std::vector<Setting>{}, context.environment).has_value();
  if (!whole) words.clear();  // an unfinished line has no sure meaning
  const auto given = std::count_if(words.begin(), words.end(),
                                   [](const std::string& word) { return !word.starts_with('-'); });
  add_positionals(command, parsed, static_cast<std::size_t>(given), context, answers);
}

Status run(std::vector<std::string> words, Context& context) {
  if (words.empty()) words.emplace_back();
  const std::string current = words.back();
  words.pop_back();
  // Behind "--" stand the words of the user's program.
  if (std::find(words.begin(), words.end(), "--") != words.end()) return {};

  Answers answers;
  if (words.empty()) {
    add_commands(answers);
  } else if (const auto command = find_command(words.front())) {
    words.erase(words.begin());
    add_for_command(*command, std::move(words), current, context, answers);
  }
  std::string text;
  for (const Answer& answer : answers) {
    if (!answer.word.starts_with(current)) continue;
    text += cat(answer.word, "\t", printable_line(answer.description), "\n");
  }
  return context.console.out(text);
}

}  // namespace

Runner define_complete(const Definition& definition) {
  return [words = definition.typed.words](Context& context) { return run(words, context); };
}

}  // namespace trainctl::cli
