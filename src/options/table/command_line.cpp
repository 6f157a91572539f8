// The command's own flags are not known yet: what precedes it must be flags of every command.
#include "options/table/command_line.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "manifest/kind/kind.h"
#include "options/table/flag_synonyms.h"
#include "options/table/rows.h"

namespace trainctl::options {
namespace {

std::string take(std::vector<std::string>& args, std::size_t at) {
  std::string word = std::move(args[at]);
  args.erase(args.begin() + static_cast<std::ptrdiff_t>(at));
  return word;
}

// The option of every command that a word names. Only a command has more help than one page.
const OptionRow* leading_option(std::string_view typed) {
  const auto found = std::ranges::find_if(option_rows(), [typed](const OptionRow& row) {
    return is_global(row) && row.name != "help-all" &&
           (typed == cat("--", row.name) || typed == cat('-', row.letter));
  });
  return found == option_rows().end() ? nullptr : &*found;
}

// dev is nothing without its job: it works inside.
bool submits(const std::string& command) {
  const Halves halves = split_once(command, '-');
  if (!halves.found) return lists(k_submits, command);
  const auto kinds = job::operator_kinds();
  return halves.first == "submit" &&
         std::ranges::find(kinds, halves.second, &job::Kind::alias) != kinds.end();
}

// Returns the position of the submit command in a line that `check`, `env` or `convert` precedes,
// perhaps behind --local or another flag of every command.
std::optional<std::size_t> submit_position(const std::vector<std::string>& args) {
  const auto at = command_position(args);
  return at && submits(args[*at]) ? std::optional(*at) : std::nullopt;
}

}  // namespace

Result<CommandLine> read_command_line(std::vector<std::string> args) {
  CommandLine line;
  line.typed.defined = Typed::Defined::named;
  const auto dashes = std::ranges::find(args, "--");
  if (dashes != args.end()) {
    line.typed.words.assign(dashes + 1, args.end());
    args.erase(dashes, args.end());
  }
  TRY_ASSIGN(const std::size_t at, command_position(args));
  line.name = take(args, at);
  const auto line_for = value_of(k_lines, line.name);
  if (const auto submit = line_for ? submit_position(args) : std::nullopt) {
    line.typed.line_for = *line_for;
    line.name = take(args, *submit);
  }
  line.typed.args = std::move(args);
  return line;
}

Result<std::size_t> command_position(const std::vector<std::string>& args) {
  for (std::size_t at = 0; at < args.size(); ++at) {
    const std::string& word = args[at];
    if (word.size() < 2 || word[0] != '-') return at;
    const Halves halves = split_once(word, '=');
    const OptionRow* row = leading_option(halves.first);
    if (row == nullptr) {
      return Error{Code::usage, cat("unknown flag ", word, " before a command"),
                   line_for_flag("", halves.first)
                       .value_or("write the command first: trainctl COMMAND " + word)};
    }
    const bool takes_value = row->type != Type::toggle && row->bare.empty();
    if (takes_value && !halves.found) ++at;
  }
  return Error{Code::usage, "no command given", "trainctl --help lists the commands"};
}

}  // namespace trainctl::options
