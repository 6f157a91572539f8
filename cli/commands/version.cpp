// `trainctl version`: the program's own version, without asking a cluster.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/flags.h"

namespace trainctl::cli {

Runner define_version(const Definition& definition) {
  // kubectl asks its cluster unless this flag is given.
  auto client_only = std::make_shared<bool>(false);
  const OptionBinder bind(definition.app, definition.name);
  bind("client", *client_only);
  return [client_only](Context& context) {
    return context.console.out(cat("trainctl ", TRAINCTL_VERSION, "\n"));
  };
}

}  // namespace trainctl::cli
