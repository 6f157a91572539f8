// Shows what is agreed to before it asks; the answer cannot come from anything but a terminal.
#include "cli/commands/config_trust.h"

#include "base/console/console.h"
#include "base/text/text.h"
#include "cli/options/config_keys.h"
#include "options/settings/settings.h"

namespace trainctl::cli {
namespace {

// A file, each line indented below its name.
Result<std::string> shown_file(const Context& context, const std::string& path) {
  auto text = context.files.read(path);
  if (!text) return Error{Code::usage, text.error().message, text.error().hint};
  std::string shown = cat(printable_line(path), ":\n");
  for (const std::string& line : split(*text, '\n')) {
    if (!line.empty()) shown += cat("  ", printable_line(line), '\n');
  }
  return shown;
}

}  // namespace

Status trust_working_tree(Context& context, bool yes) {
  ConfigKeys keys(context.commands);
  const options::ConfigSources sources = config_sources(context);
  TRY_ASSIGN(const auto settings, options::read_working_tree(sources, keys));
  const std::string path = printable_line(sources.tree.path);
  TRY_ASSIGN(std::string shown, shown_file(context, sources.tree.path));
  for (const options::Setting& setting : settings) {
    if (setting.facts.row.type != options::Type::path) continue;
    for (const std::string& named : setting.values) {
      TRY_ASSIGN(const std::string more, shown_file(context, named));
      shown += more;
    }
  }
  TRY(context.console.out(shown));
  if (!yes && !can_ask(context.console)) {
    return Error{Code::usage, "cannot ask for consent to " + path + " without a terminal",
                 "read the file, then: trainctl config trust --yes"};
  }
  if (!yes && !confirmed(context.console, cat("Trust ", path, " in its current form"))) {
    context.console.notice("no consent given");
    return {};
  }
  TRY(options::agree(sources, settings));
  context.console.notice(cat("consented to ", path, " in its current form"));
  return {};
}

}  // namespace trainctl::cli
