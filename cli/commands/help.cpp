// `trainctl help [COMMAND|TOPIC]`: the help of a command, or of a topic such as exit-codes.
#include <memory>

#include "base/text/table.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/options/formatter.h"
#include "cli/options/parse.h"
#include "cli/output/exit_notes.h"
#include "view/report_fields.h"

namespace trainctl::cli {
namespace {

std::string exit_codes(const Console& console) {
  Table table({"EXIT", "MEANING"});
  for (const ExitStatus& status : exit_statuses()) {
    table.add({{cat(static_cast<int>(status.code))}, {std::string(status.meaning)}});
  }
  return cat(table.text(console), '\n', k_exit_notes, '\n');
}

void add_fields(Table& table, std::span<const view::ReportField> fields) {
  for (const view::ReportField& field : fields) {
    const std::string present = field.present.empty() ? "always" : std::string(field.present);
    table.add({{std::string(field.path)},
               {std::string(view::type_name(field.type))},
               {present},
               {std::string(field.meaning)}});
  }
}

std::string fields_text(const Console& console) {
  Table report({"FIELD OF A REPORT", "TYPE", "PRESENT WHEN", "MEANING"});
  add_fields(report, view::report_fields());
  Table line({"FIELD OF A LOG LINE", "TYPE", "PRESENT WHEN", "MEANING"});
  add_fields(line, view::log_fields());
  Table usage({"FIELD OF A USAGE REPORT", "TYPE", "PRESENT WHEN", "MEANING"});
  add_fields(usage, view::usage_fields());
  return cat(report.text(console), '\n', line.text(console), '\n', usage.text(console));
}

Status run_help(const std::vector<std::string>& words, Context& context) {
  if (words.empty()) return context.console.out(program_help(context.commands, context.console));
  if (words.front() == "exit-codes") return context.console.out(exit_codes(context.console));
  if (words.front() == "reports") return context.console.out(fields_text(context.console));
  const Command* command = context.commands.find(words.front());
  if (command != nullptr) return print_help(*command, {}, context.console);
  return Error{
      Code::usage, cat("no help about `", words.front(), "`"),
      "trainctl --help lists the commands; trainctl help exit-codes; trainctl help reports"};
}

}  // namespace

Runner define_help(const Definition& definition) {
  auto words = std::make_shared<std::vector<std::string>>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Help", "COMMAND", *words, 0, 1, "command, exit-codes or reports");
  return [words](Context& context) { return run_help(*words, context); };
}

}  // namespace trainctl::cli
