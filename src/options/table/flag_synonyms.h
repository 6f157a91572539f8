// Recognises flags of other programs, and translates them with their values.
#pragma once

#include <optional>
#include <string>

namespace trainctl::options {

// A flag as other programs take it, with its value.
struct ForeignFlag {
  std::string name, value;
};
// Splits "--mem=4G", "-N2" and "-N=2"; other words have no value.
ForeignFlag foreign_flag(const std::string& word);

// The flag of a submit command that another program's flag stands for, with the value converted:
// "--memory=4Gi" for --mem and "4G". nullopt without a value, or if either has no equivalent.
std::optional<std::string> translated_flag(const std::string& flag, const std::string& value);

// The hint when `flag` is a phase (`get --failed`), or another program's (`scale --replicas`,
// `submit-pytorch --nodes`). `value`: what was typed behind it; "" = nothing.
std::optional<std::string> line_for_flag(const std::string& command, const std::string& flag,
                                         const std::string& value = "");

// "#SBATCH --ntasks=2" for a flag of sbatch whose meaning depends on other lines of a script, so
// that no flag beside the script has it.
std::optional<std::string> line_of_script(const std::string& flag, const std::string& value);

// The hint for a flag of sbatch that says the size of a job, and is typed beside a batch script.
std::optional<std::string> line_beside_script(const std::string& flag, const std::string& value);

}  // namespace trainctl::options
