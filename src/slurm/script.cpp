// Splits directives into words, and looks for commands that have no counterpart in a pod.
#include "slurm/script.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/text.h"

namespace trainctl::slurm {
namespace {

constexpr std::string_view k_mark = "#SBATCH";
// Linux starts no program with a longer argument; the prologue and the variables need some of it.
constexpr std::size_t k_longest_script = std::size_t{120} << 10U;

Error at_line(const Script& script, int line, std::string_view what, std::string hint) {
  return {Code::usage, cat(script.place(line), ": ", what), std::move(hint)};
}

// The words of a directive, as sbatch splits them; a comment ends them.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  char quote = 0;
  bool open = false;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        words.back() += c;
      }
      continue;
    }
    const bool is_blank = c == ' ' || c == '\t' || c == '\r';
    if (c == '#' && !open) break;
    if (is_blank) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == '"' || c == '\'') {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  return words;
}

// "--mem=4G" and "-n4" have their value with them.
std::pair<std::string, std::optional<std::string>> name_and_value(const std::string& word) {
  if (!word.starts_with("--")) {
    const bool has_value = word.size() > 2;
    const std::string rest = has_value ? word.substr(word[2] == '=' ? 3 : 2) : "";
    return {word.substr(0, 2), has_value ? std::optional(rest) : std::nullopt};
  }
  Halves halves = split_once(word, '=');
  if (!halves.found) return {word, std::nullopt};
  return {std::move(halves.first), std::move(halves.second)};
}

Status read_directive(Script& script, int line, std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto [name, value] = name_and_value(words[at]);
    if (words[at] == "hetjob" || words[at] == "packjob") {
      return at_line(script, line, "a heterogeneous job has parts of different sizes",
                     "submit a job for each part, or write its roles in a manifest");
    }
    const Option* option = find_option(name);
    if (option == nullptr) {
      return at_line(script, line, cat("sbatch has no option ", printable_line(words[at])),
                     "correct the line, or delete it");
    }
    Directive directive{option, value.value_or(""), line};
    if (!value && takes_word(*option, Program::sbatch)) {
      if (at + 1 == words.size()) {
        return at_line(script, line, cat("--", option->name, " needs a value"),
                       "write it behind the option, or delete the line");
      }
      directive.value = words[++at];
    }
    script.directives.push_back(std::move(directive));
  }
  return {};
}

// Those that `set` takes as well: "-eu" of "bash -leu".
std::string options_of(const std::vector<std::string>& words) {
  std::string options;
  for (std::size_t at = 1; at < words.size(); ++at) {
    std::string word = words[at];
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') continue;
    std::erase(word, 'l');
    if (word.ends_with('o') && at + 1 < words.size()) word += ' ' + words[++at];
    if (word.size() > 1) options += cat(options.empty() ? "" : " ", word);
  }
  return options;
}

Status read_shell(Script& script) {
  const std::string first = split_once(script.text, '\n').first;
  std::vector<std::string> words = words_of(first.starts_with("#!") ? first.substr(2) : "bash");
  if (words.size() > 1 && words.front().ends_with("/env")) words.erase(words.begin());
  if (words.size() > 1 && words.front() == "-S") words.erase(words.begin());
  if (words.empty()) words = {"bash"};
  script.shell = words.front().substr(words.front().rfind('/') + 1);
  constexpr std::string_view k_shells[] = {"bash", "sh", "dash", "ksh"};
  if (std::ranges::find(k_shells, script.shell) != std::end(k_shells)) {
    script.shell_options = options_of(words);
    return {};
  }
  return at_line(script, 1, cat("the script runs in ", printable_line(words.front())),
                 cat("trainctl submit-pytorch --image IMAGE --workers=0 --code . -- ",
                     shell_quoted(script.shell), ' ', shell_quoted(script.path)));
}

Status read_directives(Script& script) {
  int number = 0;
  for (const std::string& line : split(script.text, '\n')) {
    ++number;
    if (line.starts_with(k_mark)) {
      const std::string rest = line.substr(k_mark.size());
      const bool is_option = !rest.empty() && (rest[0] == ' ' || rest[0] == '\t');
      if (is_option) TRY(read_directive(script, number, rest));
    } else if (const auto text = trim(line); !text.empty() && text[0] != '#') {
      break;
    }
  }
  return {};
}

// The script becomes an argument of the shell.
Status check_text(const Script& script) {
  if (script.text.size() > k_longest_script) {
    return Error{Code::usage,
                 cat(printable_line(script.path), ": the script is longer than ",
                     k_longest_script >> 10U, " KiB"),
                 "put its programs into files, which --code sends, and start them from the script"};
  }
  int number = 0;
  for (const std::string& line : split(script.text, '\n')) {
    ++number;
    if (line.find('\0') != std::string::npos) {
      return at_line(script, number, "the line holds a NUL byte", "write the script as text");
    }
    if (!is_utf8(line)) {
      return at_line(script, number, "the line is not valid UTF-8",
                     cat("convert the file: iconv -f LATIN1 -t UTF-8 ", shell_quoted(script.path)));
    }
  }
  return {};
}

// A command of the script, with the lines that continue it.
struct Command {
  int line = 0;
  std::vector<std::string> words;
};

// The marker that ends a here-document which the line begins; "" = it begins none.
std::string here_document(const std::string& line) {
  const auto at = line.find("<<");
  if (at == std::string::npos || line.compare(at, 3, "<<<") == 0) return "";
  std::string marker(trim(line.substr(at + (line.compare(at, 3, "<<-") == 0 ? 3 : 2))));
  marker = marker.substr(0, marker.find_first_of(" \t;|>)"));
  std::erase_if(marker, [](char c) { return c == '"' || c == '\'' || c == '\\'; });
  const bool is_word = !marker.empty() && (is_letter(marker[0]) || marker[0] == '_');
  return is_word ? marker : "";
}

std::vector<Command> commands_of(const std::string& text) {
  std::vector<Command> commands;
  std::string end_of_document;
  bool continues = false;
  int number = 0;
  for (std::string line : split(text, '\n')) {
    ++number;
    if (!end_of_document.empty()) {
      if (trim(line) == end_of_document) end_of_document.clear();
      continue;
    }
    end_of_document = here_document(line);
    const bool joins = std::exchange(continues, line.ends_with('\\'));
    if (continues) line.pop_back();
    if (!joins || commands.empty()) commands.push_back({number, {}});
    for (std::string& word : words_of(line)) commands.back().words.push_back(std::move(word));
  }
  std::erase_if(commands, [](const Command& command) { return command.words.empty(); });
  return commands;
}

bool is_program(const std::string& word, std::string_view list) {
  const std::string name = word.substr(word.rfind('/') + 1);
  return std::ranges::any_of(split(list, ' '), [&](const auto& each) { return each == name; });
}

// The program of a command, behind assignments, keywords and srun with its flags.
std::size_t program_at(const std::vector<std::string>& words) {
  std::size_t at = 0;
  bool is_step = false;
  for (; at + 1 < words.size(); ++at) {
    const std::string& word = words[at];
    const bool is_assignment = word.find('=') != std::string::npos && is_letter(word[0]);
    if (is_program(word, "srun")) {
      is_step = true;
    } else if (is_step && word.starts_with('-')) {
      const auto [name, value] = name_and_value(word);
      const Option* option = find_option(name);
      if (option != nullptr && takes_word(*option, Program::srun) && !value) ++at;
    } else if (!is_assignment && !is_program(word, "exec time if then do else ! nohup env")) {
      break;
    }
  }
  return std::min(at, words.size() - 1);
}

Status check_command(const Script& script, const Command& command, bool has_workers) {
  const auto& words = command.words;
  const std::string& program = words[program_at(words)];
  const bool is_step = std::ranges::find(words, "srun") != words.end();
  const bool is_background = std::ranges::any_of(
      words, [](const std::string& word) { return word == "&" || word == "&;"; });
  if (is_step && is_background) {
    return at_line(script, command.line, "srun in the background shares the job between steps",
                   "submit a script for each step, or run them one after the other: without &");
  }
  const bool has_parts =
      is_step && std::ranges::any_of(words, [](const std::string& word) {
        return word == ":" || word.find("het-group") == 2 || word.find("multi-prog") == 2;
      });
  if (has_parts) {
    return at_line(script, command.line, "srun starts different programs in one step",
                   "submit a script for each program");
  }
  if (is_program(program, "sbatch salloc")) {
    return at_line(script, command.line, cat("a pod cannot run ", program),
                   "submit the other script yourself: trainctl submit FILE");
  }
  if (is_program(program, "singularity apptainer enroot podman docker podman-hpc shifter")) {
    return at_line(script, command.line, cat(program, " starts a container within the pod's own"),
                   "name the image with --image=IMAGE, and run its program directly");
  }
  if (has_workers && is_program(program, "mpirun mpiexec mpirun_rsh aprun jsrun ibrun")) {
    return at_line(script, command.line, cat(program, " starts processes on other nodes"),
                   "trainctl submit-mpi --image IMAGE --workers=2 -- python3 train.py");
  }
  return {};
}

}  // namespace

std::string Script::place(int line) const {
  return cat(printable_line(path), ':', line);
}

std::string Script::prefix(const Directive& directive) const {
  return directive.line == 0 ? "" : place(directive.line) + ": ";
}

Error Script::bad(const Directive& directive, std::string_view fault, std::string hint) const {
  return {
      Code::usage,
      cat(prefix(directive), "--", directive.option->name,
          directive.value.empty() ? "" : cat(' ', printable_line(directive.value)), ": ", fault),
      std::move(hint)};
}

const Directive* Script::find(std::string_view option) const {
  const auto found =
      std::ranges::find_if(directives.rbegin(), directives.rend(),
                           [option](const Directive& each) { return each.option->name == option; });
  return found == directives.rend() ? nullptr : &*found;
}

bool has_script_name(std::string_view path) {
  return path.ends_with(".sbatch") || path.ends_with(".slurm");
}

bool is_script(std::string_view text) {
  return text.starts_with("#!");
}

Result<Script> read_script(std::string path, std::string text) {
  std::erase(text, '\r');
  Script script{std::move(path), "", "", {}, std::move(text)};
  if (trim(script.text).empty()) {
    return Error{Code::usage, cat(printable_line(script.path), ": the script is empty"),
                 "submit a script with commands"};
  }
  TRY(check_text(script));
  TRY(read_shell(script));
  TRY(read_directives(script));
  return script;
}

Status check_commands(const Script& script, bool has_workers) {
  for (const Command& command : commands_of(script.text)) {
    TRY(check_command(script, command, has_workers));
  }
  return {};
}

std::vector<Directive> step_options(const Script& script) {
  std::vector<Directive> found;
  for (const Command& command : commands_of(script.text)) {
    const auto& words = command.words;
    const auto step = std::ranges::find(words, "srun");
    for (auto word = step; word != words.end() && ++word != words.end();) {
      if (!word->starts_with('-')) break;
      const auto [name, value] = name_and_value(*word);
      const Option* option = find_option(name);
      if (option == nullptr) continue;
      const bool has_next = !value && takes_word(*option, Program::srun) && word + 1 != words.end();
      found.push_back({option, value.value_or(has_next ? *++word : ""), command.line});
    }
  }
  return found;
}

std::vector<int> module_lines(const Script& script) {
  std::vector<int> lines;
  for (const Command& command : commands_of(script.text)) {
    if (is_program(command.words[program_at(command.words)], "module ml")) {
      lines.push_back(command.line);
    }
  }
  return lines;
}

}  // namespace trainctl::slurm
