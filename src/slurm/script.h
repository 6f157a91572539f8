// A batch script as sbatch reads it: directives at its top, and the commands below them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "slurm/options.h"

namespace trainctl::slurm {

struct Directive {
  const Option* option = nullptr;
  std::string value;
  int line = 0;
};

struct Script {
  std::string path;
  std::string shell;          // "bash"
  std::string shell_options;  // "-eu", of the first line; without those of a login shell
  std::vector<Directive> directives;
  std::string text;  // the whole file

  // Names a line of the script: "train.sbatch:7".
  std::string place(int line) const;
  // "train.sbatch:7: ", and nothing for what was typed beside the script.
  std::string prefix(const Directive& directive) const;
  // Code::usage: the directive's value has this fault.
  Error bad(const Directive& directive, std::string_view fault, std::string hint) const;
  // The last of the directives with this option, which is the one that counts; nullptr = none.
  const Directive* find(std::string_view option) const;
};

// True for a path that ends in .sbatch or .slurm.
bool has_script_name(std::string_view path);
// True for text that begins with #!, as no manifest does.
bool is_script(std::string_view text);

// Code::usage, with the line, for options that sbatch does not have, and for scripts that no shell
// runs.
Result<Script> read_script(std::string path, std::string text);

// Code::usage, with the line, for commands that cannot be run in a pod, or not in one of several.
Status check_commands(const Script& script, bool has_workers);

// The options of the steps: --container-image=IMAGE of `srun --container-image=IMAGE -N 2 program`.
std::vector<Directive> step_options(const Script& script);

// The lines that load environment modules, which an image has instead.
std::vector<int> module_lines(const Script& script);

}  // namespace trainctl::slurm
