// What a user meant who typed another program's word where trainctl has its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace trainctl::cli {

// For a word that is no command: the line to type instead, with the words that were typed behind
// it. A command of another program, a planned one, or one that is spelled nearly so.
Error unknown_command(const std::string& name, const std::vector<std::string>& rest);

// The line to type when `word` (a file or a kind) cannot stand behind `command`.
std::optional<std::string> line_for_word(const std::string& command, const std::string& word);

// The line to type when `name` is no job but a resource that kubectl would list.
std::optional<std::string> line_for_resource(const std::string& name);

}  // namespace trainctl::cli
