// Lists the commands with their effects and help texts; their definitions are above this layer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainctl::options {

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
