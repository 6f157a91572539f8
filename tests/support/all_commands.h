// The table of commands, made once per test program.
#pragma once

#include "cli/commands.h"

namespace trainctl::testing {

inline const cli::CommandTable& all_commands() {
  static const cli::CommandTable table = cli::command_table();
  return table;
}

}  // namespace trainctl::testing
