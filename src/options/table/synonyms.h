// Recognises commands of other programs where trainctl has its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "options/table/command_line.h"

namespace trainctl::options {

// The error for an unknown command: names the line to type instead, with the arguments that were
// typed. Covers commands of other programs and typing errors; `commands`: the names of trainctl's
// own.
Error unknown_command(const std::vector<std::string>& commands, const std::string& name,
                      const Typed& typed);

// True for a submit line whose FILE is no manifest, and so a batch script.
bool names_script(const std::string& command, const std::vector<std::string>& args);

// The time of sbatch's `-t 10` among the arguments of a submit command.
std::optional<std::string> time_behind_t(const std::string& command,
                                         const std::vector<std::string>& args);

// The words that belong in the place of `word`, which cannot stand where it was typed:
// "-- python3 train.py" for `submit-pytorch train.py`.
std::optional<std::string> instead_of_word(const std::string& command, const std::string& word);

// The line to type when `word` (a file, a kind or a number) cannot follow `command`.
std::optional<std::string> line_for_word(const std::string& command, const std::string& word);

}  // namespace trainctl::options
