// Adds the definitions to the table of commands.
#include "cli/commands.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/text/text.h"
#include "options/table/defaults.h"

namespace trainctl::cli {
namespace {

struct Defined {
  std::string_view name;
  Definer define;
};

#define TRAINCTL_ROW(name, define) {name, define},
constexpr Defined k_definitions[] = {TRAINCTL_COMMANDS(TRAINCTL_ROW)};
#undef TRAINCTL_ROW

Definer definition_of(const std::string& name) {
  const auto found = std::ranges::find(k_definitions, name, &Defined::name);
  if (found != std::end(k_definitions)) return found->define;
  if (!options::reads_submit_keys(name)) throw std::logic_error(cat("nothing defines ", name));
  return define_submit_kind;
}

}  // namespace

CommandTable command_table() {
  std::vector<Command> all;
  for (options::CommandRow& row : options::command_table()) {
    const Definer define = definition_of(row.name);
    all.push_back({std::move(row), define});
  }
  return CommandTable(std::move(all), {process_probe(), page_maker()});
}

}  // namespace trainctl::cli
