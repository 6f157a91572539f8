// `trainctl completion SHELL`: the stub a shell loads; it asks `trainctl __complete` for
// everything.
#include <memory>

#include "base/embedded.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"

namespace trainctl::cli {
namespace {

struct Shell {
  std::string_view name, file;
};
constexpr Shell k_shells[] = {
    {"bash", "trainctl.bash"}, {"zsh", "_trainctl"}, {"fish", "trainctl.fish"}};

Status run_completion(const std::string& name, Context& context) {
  for (const Shell& shell : k_shells) {
    if (shell.name != name) continue;
    for (const EmbeddedFile& file : completions::embedded_files()) {
      if (file.name == shell.file) return context.console.out(file.content);
    }
  }
  return Error{Code::usage, cat("trainctl has no completion for `", name, "`"),
               "the shells are bash, zsh and fish"};
}

}  // namespace

Runner define_completion(const Definition& definition) {
  auto shells = std::make_shared<std::vector<std::string>>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Completion", "SHELL", *shells, 1, 1, "bash, zsh or fish");
  return [shells](Context& context) { return run_completion(shells->front(), context); };
}

}  // namespace trainctl::cli
