// `submit train.sbatch`: a batch script of Slurm, as the submit-pytorch line that it stands for.
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/text/text.h"
#include "cli/commands/submit.h"
#include "cli/options/config_keys.h"
#include "options/settings/settings.h"
#include "options/table/command_line.h"
#include "slurm/translation.h"

namespace trainctl::cli {
namespace {

constexpr const char* k_line = "submit-pytorch";

// The typed line up to "--", as one of submit-pytorch: without the file.
Result<std::vector<std::string>> typed_line(const Context& context, const std::string& file) {
  std::vector<std::string> line(context.typed.begin(),
                                std::ranges::find(context.typed, std::string("--")));
  TRY_ASSIGN(std::size_t at, options::command_position(line));
  if (line[at] != "submit") {  // check, env or convert
    const std::vector<std::string> rest(line.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                        line.end());
    TRY_ASSIGN(const std::size_t behind, options::command_position(rest));
    at += 1 + behind;
  }
  line[at] = k_line;
  const auto name = std::find(line.rbegin(), line.rend(), file);
  if (name == line.rend() || *std::next(name) == "-f" || *std::next(name) == "--filename") {
    return Error{Code::usage, cat(printable_line(file), " is a batch script, not a manifest"),
                 cat("trainctl submit ", shell_quoted(file))};
  }
  line.erase(std::next(name).base());
  return line;
}

bool has_flag(const std::vector<std::string>& line, std::initializer_list<std::string_view> flags) {
  return std::ranges::any_of(line, [flags](const std::string& word) {
    return std::ranges::find(flags, split_once(word, '=').first) != flags.end();
  });
}

// The value of a flag of the line; "" = the line has none.
std::string value_of(const std::vector<std::string>& line, std::string_view flag) {
  for (auto word = line.begin(); word != line.end(); ++word) {
    const Halves halves = split_once(*word, '=');
    if (halves.first != flag) continue;
    if (halves.found) return halves.second;
    return std::next(word) == line.end() ? "" : *std::next(word);
  }
  return "";
}

std::vector<options::Setting> settings_of(const Context& context, const slurm::Script& script,
                                          const slurm::Translation& made) {
  ConfigKeys keys(context.commands);
  std::vector<options::Setting> settings;
  for (const slurm::Flag& flag : made.flags) {
    const auto facts = keys.find(k_line, flag.name);
    if (!facts) continue;
    settings.push_back({options::Source::script, "", flag.name, flag.values, *facts,
                        script.place(flag.line == 0 ? 1 : flag.line)});
  }
  return settings;
}

// The tasks of `--array 1-3` and `--array task=1-3`, which leave the line; "" = it has none. Other
// arrays name their placeholders.
std::string take_tasks(std::vector<std::string>& line) {
  std::string tasks;
  for (auto word = line.begin(); word != line.end();) {
    const Halves halves = split_once(*word, '=');
    const bool is_array = halves.first == "--array";
    const bool has_next = is_array && !halves.found && std::next(word) != line.end();
    std::string value = has_next ? *std::next(word) : halves.second;
    if (value.starts_with("task=")) value = value.substr(5);
    if (!is_array || value.empty() || value.find('=') != std::string::npos) {
      ++word;
      continue;
    }
    tasks = std::move(value);
    word = line.erase(word, word + (has_next ? 2 : 1));
  }
  return tasks;
}

// sbatch knows `-a 1-3` as an array.
Status check_annotations(const std::vector<std::string>& line) {
  const std::string value = value_of(line, "-a");
  const bool is_list =
      !value.empty() && value.find_first_not_of("0123456789-,:%") == std::string::npos;
  if (!is_list) return {};
  return Error{Code::usage, cat("-a ", value, " is no annotation: that would be KEY=VALUE"),
               cat("for an array of tasks: --array=", value)};
}

void introduce(Context& context, const slurm::Script& script, const slurm::Translation& made,
               const std::vector<options::Setting>& settings) {
  std::string flags;
  for (const options::Setting& setting : settings) {
    for (const std::string& value : options::shown_words(setting)) {
      flags += cat(" --", setting.key, '=', shell_quoted(value));
    }
  }
  // No line to type: that would not have the functions and variables that the script gets.
  context.console.notice(
      cat(printable_line(script.path), " becomes a job of ", k_line, " with", flags));
  if (!made.tasks.empty()) context.console.notice(made.tasks);
  for (const std::string& text : made.warnings) context.console.warn(text);
}

}  // namespace

Result<std::optional<std::string>> batch_script(Context& context, const std::string& file) {
  const auto facts = context.files.facts(file);
  if (!facts || !facts->is_regular) return std::optional<std::string>();
  TRY_ASSIGN(std::string text, context.files.read(file));
  const bool is_script = slurm::has_script_name(file) || slurm::is_script(text);
  return is_script ? std::optional(std::move(text)) : std::nullopt;
}

Status submit_script(Context& context, const std::string& file, std::string text,
                     std::vector<std::string> arguments) {
  TRY_ASSIGN(std::vector<std::string> line, typed_line(context, file));
  TRY_ASSIGN(slurm::Script script, slurm::read_script(file, std::move(text)));
  TRY(check_annotations(line));
  if (std::string tasks = take_tasks(line); !tasks.empty()) {
    script.directives.push_back({slurm::find_option("--array"), std::move(tasks)});
  }
  TRY_ASSIGN(const auto configured, read_settings(context));
  const slurm::Place place = context.embedded                          ? slurm::Place::this_machine
                             : has_flag(line, {"--queue", "--preset"}) ? slurm::Place::typed
                                                                       : slurm::Place::partition;
  if (has_flag(line, {"-p"})) {
    context.console.warn("-p is --project, a namespace; a partition is a preset: --preset NAME");
  }
  const bool waits = has_flag(line, {"--follow", "--wait"});
  const auto workers = parse_number<long>(value_of(line, "--workers"));
  TRY_ASSIGN(slurm::Translation made,
             slurm::translate(script, {options::preset_names(configured), place, waits,
                                       std::move(arguments), workers}));
  auto settings = settings_of(context, script, made);
  introduce(context, script, made, settings);
  context.configuration.script =
      std::make_shared<const SubmittedScript>(SubmittedScript{context.typed, std::move(settings)});
  line.emplace_back("--");
  line.insert(line.end(), made.words.begin(), made.words.end());
  const int status = context.run_line(line, context);
  // The line has said already why it failed.
  return status == 0 ? Status() : Status(Error{static_cast<Code>(status), ""});
}

}  // namespace trainctl::cli
