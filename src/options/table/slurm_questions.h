// Translates lines of squeue, sacct, sstat and scancel.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace trainctl::options {

// The error for `name` that names the line to type, with the options that have a counterpart, and
// says which it leaves out. nullopt when `name` is none of these commands.
std::optional<Error> meant_question(const std::string& name, const std::vector<std::string>& args);

// The jobs that Slurm's words name: "arr-1" and "arr-2" of "arr_[1-2]".
std::vector<std::string> slurm_jobs(const std::string& word);

}  // namespace trainctl::options
