// Finds commands in their table.
#include "cli/command.h"

#include <algorithm>

namespace trainctl::cli {

const Command* CommandTable::find(std::string_view name) const {
  const auto found = std::ranges::find_if(rows_, [&name](const Command& command) {
    return command.name == name || (!command.alias.empty() && command.alias == name);
  });
  return found == rows_.end() ? nullptr : &*found;
}

}  // namespace trainctl::cli
