// Searches for the working tree's file once, so that no two parts of a command mean different ones.
#include "cli/options/configuration.h"

#include <memory>

#include "base/text/text.h"
#include "cli/options/config_keys.h"

namespace trainctl::cli {
options::ConfigSources config_sources(const Context& context) {
  if (!context.tree_file) {
    context.tree_file = std::make_shared<const options::TreeFile>(
        options::find_tree_file(context.files, context.environment, context.working_directory()));
  }
  return {context.files, context.environment, *context.tree_file, context.tree_config};
}

Result<std::vector<options::Setting>> read_settings(const Context& context,
                                                    std::string* unread_tree,
                                                    std::optional<Error>* site_fault) {
  ConfigKeys keys(context.commands);
  return options::read_settings(config_sources(context), keys, unread_tree, site_fault);
}

void tell_of_tree(const Context& context, const std::string& unread) {
  if (unread.empty()) return;
  const std::string path = printable_line(config_sources(context).tree.path);
  context.console.notice(cat(path, " is not read: ", unread));
}

}  // namespace trainctl::cli
