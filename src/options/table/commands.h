// Lists the commands with their effects and help texts; their definitions are above this layer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainctl::options {

// A command's effect on jobs.
enum class Effect {
  own,      // nothing: trainctl's own files, daemon and help
  reads,    // changes nothing, unless a flag says so
  changes,  // creates, changes or deletes jobs
};

struct CommandRow {
  Effect effect;
  std::string_view group;  // heading in `trainctl --help`; "" = not shown
  std::string name;
  std::string summary;        // one line
  std::string examples = "";  // lines for the help
  std::string_view alias = "";
  // It has a use of its own for `-- WORDS`; in other commands they are positional arguments.
  bool takes_words = false;
  bool configured = true;  // configuration files may set its flags
};

// All commands, in help order: one for each kind that can be submitted by flags, and the others.
std::vector<CommandRow> command_table();

}  // namespace trainctl::options
