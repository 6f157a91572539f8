// Splits the arguments of the program into a command, its flags, and the words of the user's
// program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text/words.h"

namespace trainctl::options {

// The purpose of a submit line: behind `check`, `env` or `convert` it creates nothing.
enum class SubmitAction { submit, check, env, convert };
inline constexpr Word<SubmitAction> k_lines[] = {
    {"check", SubmitAction::check}, {"env", SubmitAction::env}, {"convert", SubmitAction::convert}};

// The parts of the command line on which definitions depend.
struct Typed {
  std::vector<std::string> args;   // arguments after the command's name, up to "--"
  std::vector<std::string> words;  // arguments behind "--", unchanged
  SubmitAction line_for = SubmitAction::submit;
  // The flags of jobs to define. Those that the line and the configuration name are enough to parse
  // it: there are hundreds, and to define all would take longer than the rest of a start. Help and
  // completion take all, and some of them those of each role, such as "--worker-memory".
  enum class Defined { named, all, each_role };
  Defined defined = Defined::all;
};

struct CommandLine {
  std::string name;  // of the command, as typed
  Typed typed;
};

// Flags of every command may precede it. A submit line behind `check`, `env` or `convert` is read
// as a line of the submit command, with that command's defaults. Code::usage when there is no
// command.
Result<CommandLine> read_command_line(std::vector<std::string> args);

// The position of the command in `args`, which may be a line that is still being typed. Code::usage
// when no command is there, or an unknown flag precedes it.
Result<std::size_t> command_position(const std::vector<std::string>& args);

}  // namespace trainctl::options
