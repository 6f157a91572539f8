// `trainctl version`: the program's own version, without asking a cluster.
#include "base/text.h"
#include "cli/commands.h"

namespace trainctl::cli {

Runner define_version(const Definition&) {
  return [](Context& context) {
    return context.console.out(cat("trainctl ", TRAINCTL_VERSION, "\n"));
  };
}

}  // namespace trainctl::cli
