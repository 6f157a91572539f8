// `trainctl local`: reads what the embedded cluster is asked to do.
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/local_cluster.h"
#include "cli/options/bind.h"

namespace trainctl::cli {

Runner define_local(const Definition& definition) {
  auto options = std::make_shared<LocalOptions>();
  const auto& args = definition.typed.args;
  const std::string asked = args.empty() ? "" : args.front();
  const bool known = asked == "up" || asked == "down" || asked == "status";
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Embedded cluster", known ? asked : "up|down|status", options->action, 1, 1,
                  "what to do");
  // The help of one action omits the flags of the others.
  const auto belongs_to = [&](std::string_view action, CLI::Option* option) {
    if (known && asked != action) option->group("");
  };
  belongs_to("up", bind("idle", options->idle));
  belongs_to("down", bind("yes", options->yes));
  bind("ready-fd", options->ready_fd);
  return [options](Context& context) { return control_local_cluster(*options, context); };
}

}  // namespace trainctl::cli
