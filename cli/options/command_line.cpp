// The command's own flags are not known yet: what precedes it must be flags of every command.
#include "cli/options/command_line.h"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/options/globals.h"

namespace trainctl::cli {
namespace {

std::string take(std::vector<std::string>& args, std::size_t at) {
  std::string word = std::move(args[at]);
  args.erase(args.begin() + static_cast<std::ptrdiff_t>(at));
  return word;
}

// Returns the position of the submit command in a line that `check`, `env` or `convert` precedes,
// perhaps behind --local or another flag of every command.
std::optional<std::size_t> submit_position(const std::vector<std::string>& args,
                                           const CommandTable& commands) {
  const auto at = command_position(args);
  if (!at) return std::nullopt;
  const Command* command = commands.find(args[*at]);
  // dev is nothing without its job: it works inside.
  const bool submits =
      command != nullptr && command->effect == Effect::submits && command->name != "dev";
  return submits ? std::optional(*at) : std::nullopt;
}

// The last one counts, as for every flag.
std::string tree_config_of(const std::vector<std::string>& args) {
  std::string word;
  for (std::size_t at = 0; at < args.size(); ++at) {
    const Halves halves = split_once(args[at], '=');
    if (halves.first == "--no-tree-config" && halves.second != "false") word = "off";
    if (halves.first != "--tree-config") continue;
    word = halves.found ? halves.second : at + 1 < args.size() ? args[at + 1] : "";
  }
  return word;
}

}  // namespace

Result<CommandLine> read_command_line(std::vector<std::string> args, const CommandTable& commands) {
  CommandLine line;
  const auto dashes = std::ranges::find(args, "--");
  if (dashes != args.end()) {
    line.typed.words.assign(dashes + 1, args.end());
    args.erase(dashes, args.end());
  }
  TRY_ASSIGN(const std::size_t at, command_position(args));
  line.name = take(args, at);
  const auto line_for = value_of(k_lines, line.name);
  if (const auto submit = line_for ? submit_position(args, commands) : std::nullopt) {
    line.typed.line_for = *line_for;
    line.name = take(args, *submit);
  }
  line.tree_config = tree_config_of(args);
  line.typed.args = std::move(args);
  return line;
}

Result<std::size_t> command_position(const std::vector<std::string>& args) {
  Globals unused;
  CLI::App app;
  add_globals(app, "", unused);
  for (std::size_t at = 0; at < args.size(); ++at) {
    const std::string& word = args[at];
    if (word.size() < 2 || word[0] != '-') return at;
    const CLI::Option* option = app.get_option_no_throw(split_once(word, '=').first);
    if (option == nullptr) {
      return Error{Code::usage, cat("unknown flag ", word, " before a command"),
                   "write the command first: trainctl COMMAND " + word};
    }
    const bool value_follows = word.find('=') == std::string::npos;
    if (option->get_items_expected_max() > 0 && value_follows) ++at;
  }
  return Error{Code::usage, "no command given", "trainctl --help lists the commands"};
}

}  // namespace trainctl::cli
