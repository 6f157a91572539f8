// Shows what is agreed to before it asks; the answer cannot come from anything but a terminal.
#include "cli/commands/config_trust.h"

#include "base/console/console.h"
#include "base/text/text.h"
#include "cli/options/configuration.h"
#include "options/settings/agreement.h"
#include "options/settings/settings.h"
#include "options/settings/working_tree.h"

namespace trainctl::cli {
namespace {

// A file that a setting names, each line indented below the setting.
Result<std::string> shown_file(const Context& context, const std::string& path) {
  auto text = context.files.read(path);
  if (!text) return Error{Code::usage, text.error().message, text.error().hint};
  std::string shown = cat("  ", printable_line(path), ":\n");
  for (const std::string& line : split(*text, '\n')) {
    if (!line.empty()) shown += cat("    ", printable_line(line), '\n');
  }
  return shown;
}

}  // namespace

Status trust_working_tree(Context& context, bool yes) {
  TRY_ASSIGN(const auto settings, read_settings(context));
  const options::TreeFile& tree = config_sources(context).tree;
  TRY(options::check_agreeable(tree));
  const std::string path = printable_line(tree.path);
  std::string wanted;
  for (const options::Setting& setting : settings) {
    if (!options::may_need_agreement(setting)) continue;
    wanted += cat(setting.spelled(), ": ", printable_line(join(setting.values, ", ")), '\n');
    if (setting.facts.row.type != options::Type::path) continue;
    for (const std::string& path : setting.values) {
      TRY_ASSIGN(const std::string shown, shown_file(context, path));
      wanted += shown;
    }
  }
  TRY(context.console.out(wanted));
  if (!yes && !can_ask(context.console)) {
    return Error{Code::usage, "cannot ask for consent to " + path + " without a terminal",
                 "read the file, then: trainctl config trust --yes"};
  }
  if (!yes && !confirmed(context.console, cat("Trust ", path, " in its current form"))) {
    context.console.notice("no consent given");
    return {};
  }
  TRY(options::agree(config_sources(context), settings));
  context.console.notice(cat("consented to ", path, " in its current form"));
  return {};
}

}  // namespace trainctl::cli
