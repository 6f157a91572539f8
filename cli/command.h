// Defines what a subcommand consists of.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "follow/follow.h"
#include "follow/stall_watch.h"
#include "options/table/command_line.h"
#include "options/table/commands.h"
#include "work/session/target.h"

namespace CLI {
class App;
}

namespace trainctl::view {
struct RunPage;
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

// A page about a job, of which only `report` knows what it shows.
using PagePtr = std::shared_ptr<const view::RunPage>;

// Makes the page of --report for commands that follow; unset in a program without `report`, which
// provides it.
struct PageMaker {
  // A job whose following has ended.
  PagePtr (*of_followed)(Context&, const work::FoundJob&, const job::FollowResult&) = nullptr;
  // A job that was refused or not found: `report` has no more than its name and the verdict.
  PagePtr (*without_job)(const Json& report) = nullptr;
  // The page without what only a job of its own shows, since there may be a thousand.
  PagePtr (*as_member)(const PagePtr& page) = nullptr;
  // HTML of one job, or of several under a title.
  std::string (*html)(const view::RunPage& page) = nullptr;
  std::string (*html_of_several)(const std::string& title, const std::vector<PagePtr>&) = nullptr;
};

// The parts that capabilities offer to commands of other rooms.
struct Offers {
  ProcessProbe probe;
  PageMaker page;
};

// The commands of the program. Code that must know them is given the table, so that nothing below a
// command depends on the command.
class CommandTable {
 public:
  explicit CommandTable(std::vector<Command> rows, Offers offers = {})
      : rows_(std::move(rows)), offers_(std::move(offers)) {}

  // In help order.
  const std::vector<Command>& all() const { return rows_; }
  // The names and aliases of the commands that help shows, for suggestions.
  std::vector<std::string> shown_names() const;
  // Finds a command by name or alias; nullptr = there is none.
  const Command* find(std::string_view name) const;
  const Offers& offers() const { return offers_; }

 private:
  std::vector<Command> rows_;
  Offers offers_;
};

}  // namespace trainctl::cli
