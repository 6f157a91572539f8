// Recognises a first word behind `--` that no machine can run as a program.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"

namespace trainctl::job {

// Code::usage for a whole command line in one word ("python3 train.py", "cd a && ls") and for a
// script that would be searched for in PATH (train.py); the hint shows the words to write. nullopt
// for every other word, and for paths.
std::optional<Error> program_word_fault(const std::string& word);

}  // namespace trainctl::job
