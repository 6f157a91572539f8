// The options of sbatch and srun, each with its use in a script that is submitted here.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trainctl::slurm {

// The use that is made of an option among a script's #SBATCH lines.
enum class Use {
  flag,     // the job flag `as`, with the converted value
  counted,  // several options together decide a flag: nodes, tasks, GPUs, CPUs, memory
  own,      // has a rule of its own
  ignored,  // has no meaning here and no effect on the result
  warned,   // has no effect, which the user must know; `as` says what to type instead
  refused,  // the job would be another one without it; `as` says what to do
};

// The place of an option's value.
enum class Value {
  word,          // the next word, unless "=" or the letter precedes it
  none,          // there is none, or only behind "="
  word_of_srun,  // the next word in a line of srun, none in one of sbatch
};

// The program whose line has the option.
enum class Program { sbatch, srun };

struct Option {
  std::string_view name;
  char letter = 0;
  Use use = Use::ignored;
  std::string_view as = {};
  Value value = Value::word;
};

// True where the next word is the option's value.
bool takes_word(const Option& option, Program program);

std::span<const Option> options();

// Finds an option by "--name", by the beginning of a name that no other shares, or by "-n". nullptr
// when there is none.
const Option* find_option(std::string_view word);

}  // namespace trainctl::slurm
