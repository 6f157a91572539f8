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

std::vector<std::string> CommandTable::shown_names() const {
  std::vector<std::string> names;
  for (const Command& command : rows_) {
    if (!command.group.empty()) names.push_back(command.name);
    if (!command.alias.empty()) names.emplace_back(command.alias);
  }
  return names;
}

}  // namespace trainctl::cli
