// What a subcommand is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/context.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

struct Globals;

// Runs the command with the options it parsed. The Status's code is the exit status.
using Runner = std::function<Status(Context&)>;

// The command line as far as definitions depend on it.
struct Typed {
  std::vector<std::string> args;   // without the command's name, up to "--"
  std::vector<std::string> words;  // behind "--", untouched
  bool has_words = false;          // there was a "--"
  // Define every flag, for help and completion. Otherwise a flag of one role is only defined when
  // it was typed: there are hundreds, and they would double the start-up.
  bool every_flag = false;
  // "--worker-memory": flags the configuration names, which count as typed here.
  std::vector<std::string> configured = {};
};

// What a command's flags are defined into. The app outlives the runner.
struct Definition {
  CLI::App& app;
  std::string_view name;  // the command's, as in the table
  const Typed& typed;
  Globals& globals;
};

// What a command does to jobs. It decides what a working tree's file may say to it.
enum class Effect {
  own,      // none: trainctl's own files, daemon and help
  reads,    // unless a flag says so, which no working tree may
  submits,  // creates what the user's words and defaults describe
  changes,  // or deletes what is there: the user's words and own files alone decide
};

struct Command {
  Effect effect;
  std::string_view group;  // heading in `trainctl --help`; "" = not shown
  std::string name;
  std::string summary;  // one line
  // Adds the command's flags to its CLI11 app and returns what runs it; the options live in the
  // closure, so a definition can be made twice.
  Runner (*define)(const Definition& definition);
  std::string examples = "";  // lines for the help
  std::string_view alias = "";
  bool takes_words = false;  // `-- WORDS` are its own; elsewhere they are positional arguments
  bool configured = true;    // its flags have defaults in a configuration
};

// THE TABLE of commands, in help order.
std::vector<Command> commands();
// By name or alias.
std::optional<Command> find_command(std::string_view name);

}  // namespace trainctl::cli
