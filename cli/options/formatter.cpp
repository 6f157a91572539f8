// Prints groups of aligned flags, wrapped to the terminal.
#include "cli/options/formatter.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "cli/options/bind.h"

namespace trainctl::cli {
namespace {

constexpr std::size_t k_column = 30;  // where the help texts begin

// "  -i, --image IMAGE            container image", wrapped behind the second column.
std::string entry(const std::string& left, std::string_view help, std::size_t width) {
  std::string line = "  " + left;
  if (line.size() + 2 > k_column) {
    line += '\n' + std::string(k_column, ' ');
  } else {
    line.resize(k_column, ' ');
  }
  return line + wrapped(help, k_column, width) + '\n';
}

std::string left_of(const FlagDoc& flag) {
  std::string text = flag.letter.empty() ? "    " : flag.letter + ", ";
  text += join(flag.names, ", ");
  if (flag.value.empty()) return text;
  return text + (flag.value.starts_with("[=") ? "" : " ") + flag.value;
}

std::size_t text_width(const Console& console) {
  return static_cast<std::size_t>(std::clamp(console.width, 60, 110));
}

std::string heading(std::string_view text, const Console& console) {
  return cat("\n", console.painted(cat(text, ":"), Colour::bold), "\n");
}

bool only_in_full_help(const std::string& group) {
  return group == k_group_connection || group == k_group_one_role;
}

// Flags for the command's own work come before the many flags that describe the job.
bool is_of_the_command(const std::string& group) {
  return group == "Submitting" || group == "Following" || group == "Working inside";
}

// "-n/--namespace, --context, ...": every command has them, so the short help only names them.
std::string names_alone(const std::vector<FlagDoc>& flags, const std::string& group,
                        std::size_t width) {
  std::vector<std::string> names;
  for (const auto& flag : flags) {
    if (flag.group != group) continue;
    const std::string letter = flag.letter.empty() ? "" : flag.letter + "/";
    names.push_back(letter + flag.names.front());
  }
  constexpr std::size_t k_indent = 2;
  return cat("  ", wrapped(join(names, ", "), k_indent, width), "\n");
}

std::string groups(const std::vector<FlagDoc>& flags, const Console& console, bool all) {
  const std::size_t width = text_width(console);
  std::vector<std::string> order;
  for (const auto& flag : flags) {
    if (only_in_full_help(flag.group) && !all) continue;
    if (std::ranges::find(order, flag.group) == order.end()) {
      order.push_back(flag.group);
    }
  }
  std::stable_partition(order.begin(), order.end(), is_of_the_command);
  std::string text;
  for (const auto& group : order) {
    text += heading(group, console);
    if (group == k_group_general && !all) {
      text += names_alone(flags, group, width);
      continue;
    }
    for (const auto& flag : flags) {
      if (flag.group == group) text += entry(left_of(flag), flag.help, width);
    }
  }
  return text;
}

std::string examples(const Command& command, const Console& console) {
  if (command.examples.empty()) return "";
  std::string text = heading("Examples", console);
  for (const auto& line : split(command.examples, '\n')) text += cat("  ", line, "\n");
  return text;
}

}  // namespace

std::vector<FlagDoc> flag_docs(const CLI::App& app) {
  std::vector<FlagDoc> docs;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    FlagDoc doc{"", {}, option->get_type_name(), option->get_group(), option->get_description()};
    if (!option->get_snames().empty()) doc.letter = "-" + option->get_snames().front();
    for (const auto& name : option->get_lnames()) doc.names.push_back("--" + name);
    if (doc.names.front() == "--help" || doc.names.front() == "--help-all") doc.value.clear();
    docs.push_back(std::move(doc));
  }
  return docs;
}

std::string usage_line(const Command& command, const CLI::App& app) {
  std::string line = cat("trainctl ", command.name, " [flags]");
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional() || option->get_group().empty()) continue;
    const std::string name = option->get_type_name();
    line += option->get_required() ? cat(" ", name) : cat(" [", name, "]");
  }
  if (command.takes_words) line += " [-- ARG...]";
  return line;
}

std::string command_help(const Command& command, const CLI::App& app, const Console& console,
                         bool all) {
  std::string text =
      cat(command.summary, "\n", heading("Usage", console), "  ", usage_line(command, app), "\n");
  if (!command.alias.empty()) text += cat("  trainctl ", command.alias, " is an alias\n");
  text += groups(flag_docs(app), console, all);
  text += examples(command, console);
  if (all) return text;
  std::string more = "`--help-all` explains the general flags and those of the connection";
  if (command.takes_words) more += ", and the flags of one role (--worker-memory, ...)";
  return cat(text, "\n", wrapped(more + ".", 0, text_width(console)), "\n");
}

std::string program_help(const CommandTable& commands, const Console& console) {
  std::string text =
      "trainctl submits distributed training jobs to Kubernetes and follows them until they end.\n";
  std::string_view group;
  for (const Command& command : commands.all()) {
    if (command.group.empty()) continue;
    if (command.group != group) text += heading(command.group, console);
    group = command.group;
    text += entry(std::string(command.name), command.summary, text_width(console));
  }
  text += heading("Help", console);
  text += entry("COMMAND --help", "flags and examples of a command", text_width(console));
  text += entry("help exit-codes", "meaning of each exit status", text_width(console));
  text += entry("help reports", "fields of JSON reports and log lines", text_width(console));
  return text;
}

}  // namespace trainctl::cli
