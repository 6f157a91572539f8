// Splits the arguments of the program into a command, its flags, and the words of the user's
// program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace trainctl::cli {

struct CommandLine {
  std::string name;  // of the command, as typed
  Typed typed;
  // The value of --tree-config, which decides what is read before the flags are parsed; "" = none.
  std::string tree_config;
};

// Flags of every command may precede it. A submit line behind `check`, `env` or `convert` is one of
// the submit command, with its defaults. Code::usage when there is no command.
Result<CommandLine> read_command_line(std::vector<std::string> args, const CommandTable& commands);

// The position of the command among the arguments, whose unfinished end may be missing.
Result<std::size_t> command_position(const std::vector<std::string>& args);

}  // namespace trainctl::cli
