// Recognises the causes that runc, crun and dockerd report.
#include "job/status/program_fault.h"

#include <array>
#include <string_view>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

void cut_before(std::string& text, std::string_view part) {
  if (const auto at = text.find(part); at != std::string::npos) text.erase(0, at);
}

struct Cause {
  std::string_view says;  // what the runtime's message contains
  std::string_view words;
};
// Behind the program's name. The order counts.
constexpr std::array<Cause, 6> k_causes = {{
    {"not found in $PATH", "not found in PATH"},
    {"permission denied", "permission denied: is it executable?"},
    {"is a directory", "is a directory, not a program"},
    {"not a directory", "part of its path is a file"},
    {"exec format error", "is neither a program for this machine nor a script that begins with #!"},
    {"no such file or directory", "no such file"},
}};

std::string_view cause_in(std::string_view text) {
  for (const Cause& cause : k_causes) {
    if (text.find(cause.says) != std::string_view::npos) return cause.words;
  }
  return "";
}

// `chdir to cwd ("/work") set in config.json failed: no such file or directory`
std::string working_directory_fault(std::string_view text) {
  const std::string directory = between(text, "chdir to cwd (\"", "\")");
  constexpr std::string_view k_failed = "failed: ";
  const auto at = text.rfind(k_failed);
  if (directory.empty() || at == std::string_view::npos) return "";
  return cat("working directory ", directory, ": ", text.substr(at + k_failed.size()));
}

// `exec: "trian": executable file not found in $PATH`: it was looked for in vain.
std::string missing_program_fault(std::string_view text) {
  std::string program = between(text, "exec: \"", "\": ");
  if (program.empty()) program = between(text, "executable file `", "` ");  // crun
  const std::string_view cause = cause_in(text);
  return program.empty() || cause.empty() ? "" : cat(program, ": ", cause);
}

// `exec /app/run.sh: no such file or directory`: the program is there, so it is its interpreter
// that is not.
std::string execution_fault(std::string_view text) {
  const std::string program = between(text, "exec /", ": ");
  if (program.empty()) return "";
  const bool interpreter = text.find("no such file or directory") != std::string_view::npos;
  const std::string_view cause =
      interpreter ? "the interpreter named in its first line is missing" : cause_in(text);
  return cause.empty() ? "" : cat('/', program, ": ", cause);
}

}  // namespace

std::string program_fault(std::string runtime_message) {
  std::string& text = runtime_message;
  constexpr std::string_view k_tail = ": unknown";
  if (text.ends_with(k_tail)) text.resize(text.size() - k_tail.size());
  for (const auto read : {working_directory_fault, missing_program_fault, execution_fault}) {
    if (std::string words = read(text); !words.empty()) return words;
  }
  cut_before(text, "exec: \"");
  return text.empty() ? "the program could not be started" : text;
}

}  // namespace trainctl::job
