// `trainctl help [COMMAND [GROUP]|TOPIC]`: the help of a command, of a group of its flags, or of a
// topic such as exit-codes.
#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/embedded.h"
#include "base/text/table.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/options/formatter.h"
#include "cli/options/parse.h"
#include "cli/output/exit_notes.h"

namespace trainctl::cli {
namespace {

std::string exit_codes(const Console& console) {
  Table table({"EXIT", "MEANING"});
  for (const ExitStatus& status : exit_statuses()) {
    table.add({{cat(static_cast<int>(status.code))}, {std::string(status.meaning)}});
  }
  return cat(table.text(console), '\n', k_exit_notes, '\n');
}

// The cells of a row of a table in Markdown: "| `.kind` | text |".
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  for (const std::string& cell : split(row.substr(1, row.size() - 2), '|')) {
    cells.emplace_back(trim(cell));
  }
  return cells;
}

std::vector<std::string> titles_of(std::string_view row) {
  std::vector<std::string> titles = cells_of(row);
  for (std::string& title : titles) {
    std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  }
  return titles;
}

std::vector<Cell> field_row(std::string_view row) {
  std::vector<Cell> cells;
  for (std::string& cell : cells_of(row)) cells.push_back({std::move(cell)});
  std::erase(cells.front().text, '`');
  return cells;
}

// The tables of docs/reports.md.
std::string fields_text(const Console& console) {
  std::vector<Table> tables;
  bool inside = false;
  for (const std::string& line : split(pages::embedded_files().front().content, '\n')) {
    const bool was_inside = std::exchange(inside, line.starts_with('|'));
    if (!inside || line.starts_with("|-")) continue;
    if (was_inside) {
      tables.back().add(field_row(line));
    } else {
      tables.emplace_back(titles_of(line));
    }
  }
  std::vector<std::string> texts;
  for (const Table& table : tables) texts.push_back(table.text(console));
  return join(texts, "\n");
}

Status run_help(const std::vector<std::string>& words, Context& context) {
  if (words.empty()) return context.console.out(program_help(context.commands, context.console));
  if (words.front() == "exit-codes") return context.console.out(exit_codes(context.console));
  if (words.front() == "reports") return context.console.out(fields_text(context.console));
  const Command* command = context.commands.find(words.front());
  if (command != nullptr) {
    const HelpPart part{false, words.size() > 1 ? words.back() : ""};
    return print_help(*command, {}, part, context.console);
  }
  return Error{
      Code::usage, cat("no help about `", words.front(), "`"),
      "trainctl --help lists the commands; trainctl help exit-codes; trainctl help reports"};
}

}  // namespace

Runner define_help(const Definition& definition) {
  auto words = std::make_shared<std::vector<std::string>>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Help", "COMMAND", *words, 0, 2,
                  "command and a group of its flags, exit-codes or reports")
      ->type_name("COMMAND [GROUP]");
  return [words](Context& context) { return run_help(*words, context); };
}

}  // namespace trainctl::cli
