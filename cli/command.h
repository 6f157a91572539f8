// Defines what a subcommand consists of.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "follow/stall_watch.h"
#include "options/table/command_line.h"
#include "options/table/commands.h"
#include "work/session/target.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

struct Globals;

// Runs the command with its parsed options. The Status's code is the exit status.
using Runner = std::function<Status(Context&)>;

// The place where a command defines its flags. The app outlives the runner.
struct Definition {
  CLI::App& app;
  std::string_view name;  // the command's name, as in the table
  const options::Typed& typed;
  Globals& globals;
  // A command with more flags than a line should define at its start stores here what defines one
  // by its name, "--worker-memory", when the line or the configuration has it.
  std::function<void(const std::string& flag)>& define_flag;
};

// Adds the command's flags to its CLI11 app and returns its runner. The options live in the
// closure, so a definition can be made twice.
using Definer = Runner (*)(const Definition& definition);

// A row of the table with the definition of its command.
struct Command : options::CommandRow {
  Definer define;
};

// Looks into the processes of a job, for commands that follow or pack it; unset in a program
// without `doctor`, which provides it.
struct ProcessProbe {
  // For job::StallRules. `container`: "" = the training one.
  std::function<job::LookInside(Context&, const job::Kind&, const std::string& container)>
      while_following;
  // As `doctor -o json` prints it.
  std::function<Result<Json>(Context&, const work::FoundPods&)> report;
};

// The commands of the program. Code that must know them is given the table, so that nothing below a
// command depends on the command.
class CommandTable {
 public:
  explicit CommandTable(std::vector<Command> rows, ProcessProbe probe = {})
      : rows_(std::move(rows)), probe_(std::move(probe)) {}

  // In help order.
  const std::vector<Command>& all() const { return rows_; }
  // The names and aliases of the commands that help shows, for suggestions.
  std::vector<std::string> shown_names() const;
  // Finds a command by name or alias; nullptr = there is none.
  const Command* find(std::string_view name) const;
  const ProcessProbe& probe() const { return probe_; }

 private:
  std::vector<Command> rows_;
  ProcessProbe probe_;
};

}  // namespace trainctl::cli
