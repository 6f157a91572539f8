// Searches for the working tree's file once, so that no two parts of a command mean different ones.
#include "cli/options/configuration.h"

#include <memory>

#include "base/text/text.h"
#include "cli/options/config_keys.h"
#include "kube/config/proxy.h"

namespace trainctl::cli {
namespace {

// True for every name that leads to the loopback without asking a server: the resolver knows
// "localhost." and the names below localhost. The machine's own name is none of them, because the
// embedded cluster listens on 127.0.0.1 alone and its certificate is for no other name.
bool leads_to_loopback(std::string host) {
  while (host.ends_with('.')) host.pop_back();
  return lower(host).ends_with(".localhost") || kube::is_loopback(host);
}

}  // namespace

options::ConfigSources config_sources(const Context& context) {
  if (!context.tree_file) {
    context.tree_file = std::make_shared<const options::TreeFile>(
        options::find_tree_file(context.files, context.environment, context.working_directory()));
  }
  return {context.files, context.environment, *context.tree_file, context.tree_config};
}

Result<std::vector<options::Setting>> read_settings(const Context& context, options::Effect effect,
                                                    std::optional<Error>* tree_fault,
                                                    std::optional<Error>* site_fault) {
  ConfigKeys keys(context.commands);
  return options::read_settings(config_sources(context), keys, effect, tree_fault, site_fault);
}

void warn_of_tree(const Context& context, const Error& fault) {
  context.console.warn(
      cat(printable_line(fault.message), "; this command continues without the file"));
}

bool runs_here(const Context& context) {
  if (context.embedded) return true;
  const auto connection = context.connection();
  return connection && leads_to_loopback(kube::server_host(*connection));
}

}  // namespace trainctl::cli
