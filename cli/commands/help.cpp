// `trainctl help [COMMAND [GROUP]|TOPIC]`: the help of a command, of a group of its flags, or of a
// topic such as exit-codes.
#include <memory>

#include <CLI/CLI.hpp>

#include "base/text/table.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/options/config_keys.h"
#include "cli/options/formatter.h"
#include "cli/options/parse.h"
#include "cli/output/exit_notes.h"
#include "cli/output/output.h"
#include "cli/output/report_fields.h"
#include "cli/output/schema.h"
#include "cli/output/slurm_notes.h"
#include "options/table/rows.h"

namespace trainctl::cli {
namespace {

std::string exit_codes(const Console& console) {
  Table table({"EXIT", "MEANING"});
  for (const ExitStatus& status : exit_statuses()) {
    table.add({{cat(static_cast<int>(status.code))}, {std::string(status.meaning)}});
  }
  return cat(table.text(console), '\n', k_exit_notes, '\n');
}

std::string fields_text(const Console& console) {
  std::vector<std::string> texts;
  for (const ReportTable& of : report_tables()) {
    std::vector<std::string> titles;
    for (const std::string& title : of.header) titles.push_back(upper(title));
    Table table(titles);
    for (const ReportField& field : of.fields) {
      table.add({{field.path}, {field.type}, {field.present_when}, {field.meaning}});
    }
    texts.push_back(table.text(console));
  }
  return join(texts, "\n");
}

Status print_schema(const std::string& name, Context& context) {
  ConfigKeys keys(context.commands);
  if (const auto schema = schema_of(name, keys)) {
    return print_data(context, options::Format::json, *schema);
  }
  return Error{Code::usage, name.empty() ? "a schema has a name" : cat("no schema `", name, "`"),
               "name one: trainctl help schema " + join(schema_names(), "|")};
}

Status run_help(const std::vector<std::string>& words, Context& context) {
  if (words.empty()) return context.console.out(program_help(context.commands, context.console));
  if (words.front() == "exit-codes") return context.console.out(exit_codes(context.console));
  if (words.front() == "reports") return context.console.out(fields_text(context.console));
  if (words.front() == "schema") return print_schema(words.size() > 1 ? words.back() : "", context);
  if (options::lists("slurm sbatch srun salloc", words.front())) {
    return context.console.out(std::string(k_slurm_notes));
  }
  const Command* command = context.commands.find(words.front());
  if (command != nullptr) {
    const HelpPart part{false, words.size() > 1 ? words.back() : ""};
    return print_help(*command, {}, part, context.console);
  }
  return Error{
      Code::usage, cat("no help about `", words.front(), "`"),
      "trainctl --help lists the commands; trainctl help exit-codes; trainctl help reports; "
      "trainctl help slurm"};
}

}  // namespace

Runner define_help(const Definition& definition) {
  auto words = std::make_shared<std::vector<std::string>>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional(
          "Help", "COMMAND", *words, 0, 2,
          "command and a group of its flags, exit-codes, reports, slurm, or schema and its name")
      ->type_name("COMMAND [GROUP]");
  return [words](Context& context) { return run_help(*words, context); };
}

}  // namespace trainctl::cli
