// The hidden `trainctl __complete -- WORD...`: prints candidates for the last word, one
// WORD<TAB>DESCRIPTION a line; ":" for none, ":/" for a directory. Nothing at all leaves it to the
// shell, which offers files. Commands and flags come from the tables, jobs from the cluster.
#include <algorithm>
#include <map>
#include <set>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/config_keys.h"
#include "cli/options/formatter.h"
#include "cli/options/globals.h"
#include "cli/options/parse.h"
#include "kube/object/metadata.h"
#include "manifest/array.h"
#include "manifest/flags/values.h"
#include "options/table/command_line.h"
#include "options/table/defaults.h"
#include "options/table/rows.h"
#include "work/find/find_job.h"

namespace trainctl::cli {
namespace {

// A shell waits for this, so offering no names is better than blocking the prompt.
constexpr Duration k_shell_patience = std::chrono::seconds(1);

struct Answer {
  std::string word, description;
};
using Answers = std::vector<Answer>;

// The shell may offer these when there are no answers.
enum class Beside { nothing, files, directories };

void add_commands(const CommandTable& commands, Answers& answers) {
  for (const Command& command : commands.all()) {
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

void add_groups(const CLI::App& app, const std::string& prefix, Answers& answers) {
  for (const std::string& title : group_titles(flag_docs(app))) {
    answers.push_back({prefix + group_word(title), title});
  }
}

bool asks_help(std::string_view flag) {
  return flag == "--help" || flag == "-h";
}

// The values in "json|yaml|name" of a choice, or "[=none|client]" of an optional one.
std::vector<std::string> choices(const CLI::Option& option) {
  std::string value = option.get_type_name();
  if (value.starts_with("[=") && value.ends_with("]")) value = value.substr(2, value.size() - 3);
  if (value.find('|') == std::string::npos) return {};
  return split(value, '|');
}

void add_kind(const job::Kind& kind, Answers& answers, const std::string& prefix = "") {
  answers.push_back({prefix + std::string(kind.alias), std::string(kind.summary)});
}

void add_phases(Answers& answers, const std::string& prefix) {
  for (int at = 0; at <= static_cast<int>(job::Phase::failed); ++at) {
    answers.push_back({cat(prefix, job::phase_name(static_cast<job::Phase>(at))), ""});
  }
}

// A client of the cluster that the line selects; null when it cannot be asked in time.
kube::Client* hurried_client(const ParsedCommand& parsed, Context& context) {
  if (!apply_globals(parsed.command_name(), parsed.globals(), context)) return nullptr;
  context.local.start = false;
  if (context.connection_flags.request_timeout.empty()) {
    context.connection_flags.request_timeout = cat(k_shell_patience / std::chrono::seconds(1), "s");
  }
  context.patient = false;
  context.console.quiet = true;
  const auto client = context.client();
  return client ? *client : nullptr;
}

// A hostile server can name objects anything; only valid names are offered, and nothing else may
// reach a shell.
bool is_object_name(std::string_view name) {
  return job::check_object_name(name).has_value();
}

// Adds objects of the selected namespace; nothing when the cluster does not answer in time.
void add_objects(const ParsedCommand& parsed, Context& context, std::string_view plural,
                 const std::string& prefix, std::string_view suffix, Answers& answers) {
  kube::Client* client = hurried_client(parsed, context);
  if (client == nullptr) return;
  const kube::Resource resource{"", "v1", plural, ""};
  const auto page = [&](const Json& list) {
    for (const Json& object : array_at(list, "/items")) {
      const std::string name = text_at(object, "/metadata/name");
      if (is_object_name(name)) answers.push_back({cat(prefix, name, suffix), ""});
    }
  };
  static_cast<void>(client->list(resource, context.ns(), {}, page));
}

// Adds the arrays of these jobs, each once.
void add_arrays(const std::vector<work::FoundJob>& jobs, Answers& answers) {
  std::map<std::string, int> sizes;
  for (const work::FoundJob& job : jobs) {
    const std::string array = text_at(job.object, kube::label_pointer(job::k_label_array));
    if (is_object_name(array)) ++sizes[array];
  }
  for (const auto& [array, size] : sizes) {
    answers.push_back({array, cat("array of ", plural(size, "job"))});
  }
}

// Adds jobs and arrays of the selected namespace, or the replicas of the job before a '/'.
void add_jobs(const ParsedCommand& parsed, Context& context, const std::string& current,
              bool with_replicas, Answers& answers) {
  if (hurried_client(parsed, context) == nullptr) return;
  const auto jobs = work::list_jobs(context, {});
  if (!jobs) return;
  for (const work::FoundJob& job : *jobs) {
    const std::string name = job.name();
    if (!is_object_name(name)) continue;
    if (!with_replicas || !current.starts_with(name + "/")) {
      answers.push_back({name, std::string(job.kind->resource.kind)});
      continue;
    }
    for (const job::ReplicaId& replica : job::expected_replicas(*job.kind, job.object)) {
      answers.push_back({cat(name, "/", replica.name()), ""});
    }
  }
  if (!with_replicas) add_arrays(*jobs, answers);
}

// Adds the names of past runs that are not among the answers, each once.
void add_runs(Context& context, Answers& answers) {
  if (!context.history) return;
  const auto runs = context.history->list({});
  if (!runs) return;
  std::set<std::string> names;
  for (const Answer& answer : answers) names.insert(answer.word);
  for (const work::PastRun& run : *runs) {
    if (is_object_name(run.name) && names.insert(run.name).second)
      answers.push_back({run.name, run.kind});
  }
}

// Adds the names of metrics that past runs have printed, each once.
void add_metrics(const std::string& prefix, Context& context, Answers& answers) {
  if (!context.history) return;
  const auto runs = context.history->list({});
  if (!runs) return;
  std::set<std::string> names;
  for (const work::PastRun& run : *runs) {
    for (const Json& series : array_at(run.metrics, "/series")) {
      names.insert(text_at(series, "/name"));
    }
  }
  for (const std::string& name : names) answers.push_back({prefix + name, ""});
}

// The presets of all configuration files.
void add_presets(const std::string& prefix, Context& context, Answers& answers) {
  const auto settings = read_settings(context);
  if (!settings) return;
  for (const std::string& name : options::preset_names(*settings))
    answers.push_back({prefix + name, ""});
}

// Adds possible values of an option.
Beside add_values(const Command& command, const ParsedCommand& parsed, const CLI::Option& option,
                  const std::string& prefix, Context& context, Answers& answers) {
  for (const std::string& choice : choices(option)) {
    answers.push_back({prefix + choice, option.get_description()});
  }
  const auto row = options::find_row(command.name, option.get_lnames().front());
  if (!row) return Beside::nothing;
  if (row->type == options::Type::path)
    return row->offers == "/" ? Beside::directories : Beside::files;
  if (row->type == options::Type::kind) {
    for (const job::Kind* kind : job::first_versions()) add_kind(*kind, answers, prefix);
  }
  if (row->type == options::Type::phase) add_phases(answers, prefix);
  if (row->type == options::Type::job_value && !row->offers.empty()) {
    const bool mounts = option.get_type_name().find(":/") != std::string::npos;
    add_objects(parsed, context, row->offers, prefix, mounts ? ":/" : "", answers);
  } else if (row->offers == options::k_preset_names) {
    add_presets(prefix, context, answers);
  } else if (row->offers == options::k_metric_names) {
    add_metrics(prefix, context, answers);
  } else if (!row->offers.empty()) {
    for (const std::string& word : split(row->offers, ' ')) answers.push_back({prefix + word, ""});
  }
  return Beside::nothing;
}

void add_config_words(const CommandTable& commands, std::size_t given, Answers& answers) {
  if (given == 0)
    answers = {{"view", ""}, {"get", ""}, {"set", ""}, {"unset", ""}, {"trust", ""}, {"path", ""}};
  if (given != 1) return;
  for (const std::string& name : ConfigKeys(commands).names("")) answers.push_back({name, ""});
}

// Adds possible positional arguments.
Beside add_positionals(const Command& command, const ParsedCommand& parsed, std::size_t given,
                       const std::string& current, Context& context, Answers& answers) {
  Beside beside = Beside::nothing;
  for (const CLI::Option* option : parsed.app().get_options()) {
    if (!option->get_positional()) continue;
    const std::string what = option->get_type_name();
    const bool with_replicas = what.find("REPLICA") != std::string::npos;
    const bool is_any = what.starts_with("SOURCE");  // a job, a run or a file
    if (what.starts_with("JOB") || is_any) {
      add_jobs(parsed, context, current, with_replicas, answers);
    }
    const bool is_run = what.starts_with("RUN") || what.find("|RUN") != std::string::npos;
    if (is_run || is_any) add_runs(context, answers);
    if (is_any) beside = Beside::files;
    if (what == "SHELL") answers = {{"bash", ""}, {"zsh", ""}, {"fish", ""}};
    if (what.starts_with("COMMAND")) add_commands(context.commands, answers);
    if (what.starts_with("FILE")) beside = Beside::files;
  }
  if (command.name == "local") answers = {{"up", ""}, {"down", ""}, {"status", ""}};
  if (command.name == "config") add_config_words(context.commands, given, answers);
  if (command.name == "template" && given == 0) {
    answers = {{"list", ""}, {"show", ""}, {"eject", ""}};
  }
  if (command.name == "template" && given == 1) {
    for (const job::Kind& kind : job::operator_kinds()) add_kind(kind, answers);
  }
  return beside;
}

// Adds completions for a command's line.
Beside add_for_command(const Command& command, std::vector<std::string> words,
                       const std::string& current, Context& context, Answers& answers) {
  options::Typed typed;
  const bool wants_group = !words.empty() && asks_help(words.back());
  if (wants_group || current.starts_with("--")) {
    typed.defined = options::Typed::Defined::each_role;
  }
  typed.args = words;
  ParsedCommand parsed(command, typed);
  const CLI::App& app = parsed.app();
  const CLI::Option* option = nullptr;
  std::string prefix;
  const auto equals = current.find('=');
  if (current.starts_with("--") && equals != std::string::npos) {
    prefix = current.substr(0, equals + 1);
    option = app.get_option_no_throw(current.substr(0, equals));
    if (option == nullptr) return Beside::nothing;
    if (asks_help(current.substr(0, equals))) {
      add_groups(app, prefix, answers);
      return Beside::nothing;
    }
  } else if (current.starts_with("-")) {
    add_flags(app, answers);
    return Beside::nothing;
  } else if (wants_group) {
    add_groups(app, "", answers);
    return Beside::nothing;
  } else if (!words.empty()) {
    option = app.get_option_no_throw(words.back());
    if (option != nullptr && option->get_items_expected_max() == 0) option = nullptr;
    if (option != nullptr) words.pop_back();
  }
  const auto settings = read_settings(context);
  options::Typed finished;
  finished.args = words;
  ParsedCommand before(command, finished);
  const bool whole =
      before.parse() && before.take_defaults(settings ? *settings : std::vector<options::Setting>{},
                                             context.environment);
  if (option != nullptr) return add_values(command, before, *option, prefix, context, answers);
  if (!whole) words.clear();  // an unfinished line cannot be parsed reliably
  const auto given =
      std::ranges::count_if(words, [](const std::string& word) { return !word.starts_with('-'); });
  return add_positionals(command, before, static_cast<std::size_t>(given), current, context,
                         answers);
}

// True when the word has only letters, digits and signs without meaning to a shell; others are not
// offered.
bool is_plain(std::string_view word) {
  static constexpr std::string_view k_signs = "-_./:=,@%+";
  return std::ranges::all_of(word, [](char c) {
    return is_letter_or_digit(c) || k_signs.find(c) != std::string_view::npos;
  });
}

// Output that says what is possible here without answers.
std::string_view words_for(Beside beside) {
  if (beside == Beside::directories) return ":/\n";
  return beside == Beside::nothing ? ":\n" : "";
}

// Before a command, or in the flags that precede it.
void add_for_program(const CommandTable& commands, const std::string& current, Answers& answers) {
  if (!current.starts_with("-")) return add_commands(commands, answers);
  Globals unused;
  CLI::App app;
  add_globals(app, "", unused);
  add_flags(app, answers);
}

Status run_complete(std::vector<std::string> words, Context& context) {
  if (words.empty()) words.emplace_back();
  const std::string current = words.back();
  const auto at = options::command_position(words);
  words.pop_back();
  // The arguments after "--" belong to the user's program.
  if (std::ranges::find(words, "--") != words.end()) return {};

  Answers answers;
  Beside beside = Beside::nothing;
  const bool has_command = at && *at < words.size();
  if (!has_command) {
    if (at || current.starts_with("-")) add_for_program(context.commands, current, answers);
  } else if (const Command* command = context.commands.find(words[*at])) {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(*at));
    beside = add_for_command(*command, std::move(words), current, context, answers);
  }
  std::string text;
  for (const Answer& answer : answers) {
    if (!answer.word.starts_with(current) || !is_plain(answer.word)) continue;
    text += cat(answer.word, "\t", printable_line(answer.description), "\n");
  }
  return context.console.out(text.empty() ? std::string(words_for(beside)) : text);
}

}  // namespace

Runner define_complete(const Definition& definition) {
  return
      [words = definition.typed.words](Context& context) { return run_complete(words, context); };
}

}  // namespace trainctl::cli
