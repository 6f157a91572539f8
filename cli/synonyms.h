// Recognises commands of other programs where trainctl has its own.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "cli/command.h"

namespace trainctl::cli {

// The error for an unknown command: names the line to type instead, with the arguments that were
// typed. Covers commands of other programs and typing errors.
Error unknown_command(const CommandTable& commands, const std::string& name, const Typed& typed);

// The line to type when `word` (a file or a kind) cannot follow `command`.
std::optional<std::string> line_for_word(const std::string& command, const std::string& word);

// The line to type when `flag` is a phase: `get --failed`.
std::optional<std::string> line_for_flag(const std::string& command, const std::string& flag);

}  // namespace trainctl::cli
