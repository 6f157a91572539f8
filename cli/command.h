// Defines what a subcommand consists of.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text/words.h"
#include "cli/context.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

struct Globals;

// Runs the command with its parsed options. The Status's code is the exit status.
using Runner = std::function<Status(Context&)>;

// The purpose of a submit line: behind `check`, `env` and `convert` it creates nothing.
enum class LineFor { submit, check, env, convert };
inline constexpr Word<LineFor> k_lines[] = {
    {"check", LineFor::check}, {"env", LineFor::env}, {"convert", LineFor::convert}};

// The parts of the command line on which definitions depend.
struct Typed {
  std::vector<std::string> args;   // arguments after the command's name, up to "--"
  std::vector<std::string> words;  // arguments behind "--", unchanged
  LineFor line_for = LineFor::submit;
  // Define every flag, for help and completion. Otherwise a flag of one role is defined only when
  // it was typed: there are hundreds, and defining all would double the start-up time.
  bool every_flag = false;
  // Flags that the configuration sets, such as "--worker-memory", which count as typed here.
  std::vector<std::string> configured = {};
};

// The place where a command defines its flags. The app outlives the runner.
struct Definition {
  CLI::App& app;
  std::string_view name;  // the command's name, as in the table
  const Typed& typed;
  Globals& globals;
};

// A command's effect on jobs. It decides which settings of a working tree's file apply.
enum class Effect {
  own,      // nothing: trainctl's own files, daemon and help
  reads,    // changes nothing, unless a flag says so that no working tree may set
  submits,  // creates a job from the user's arguments and defaults
  changes,  // changes or deletes jobs: only the user's arguments and own files decide
};

// True for commands that read or submit; no others read a working tree's file.
inline bool hears_working_tree(Effect effect) {
  return effect == Effect::reads || effect == Effect::submits;
}

struct Command {
  Effect effect;
  std::string_view group;  // heading in `trainctl --help`; "" = not shown
  std::string name;
  std::string summary;  // one line
  // Adds the command's flags to its CLI11 app and returns its runner. The options live in the
  // closure, so a definition can be made twice.
  Runner (*define)(const Definition& definition);
  std::string examples = "";  // lines for the help
  std::string_view alias = "";
  // It has a use of its own for `-- WORDS`; in other commands they are positional arguments.
  bool takes_words = false;
  bool configured = true;  // configuration files may set its flags
};

// The commands of the program. Code that must know them is given the table, so that nothing below a
// command depends on the command.
class CommandTable {
 public:
  explicit CommandTable(std::vector<Command> rows) : rows_(std::move(rows)) {}

  // In help order.
  const std::vector<Command>& all() const { return rows_; }
  // Finds a command by name or alias; nullptr = there is none.
  const Command* find(std::string_view name) const;

 private:
  std::vector<Command> rows_;
};

}  // namespace trainctl::cli
