// Prints groups of aligned flags, wrapped to the terminal. The help of a command with many flags
// explains the common ones, and names the others by their groups.
#include "cli/options/formatter.h"

#include <algorithm>
#include <iterator>

#include <CLI/CLI.hpp>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "cli/options/bind.h"
#include "options/table/rows.h"

namespace trainctl::cli {
namespace {

constexpr std::size_t k_flags_column = 30;     // where the help texts of flags begin
constexpr std::size_t k_commands_column = 19;  // those of commands

// "  -i, --image IMAGE            container image", wrapped behind the second column.
std::string entry(const std::string& left, std::string_view help, std::size_t column,
                  std::size_t width) {
  std::string line = "  " + left;
  if (line.size() + 2 > column) {
    line += '\n' + std::string(column, ' ');
  } else {
    line.resize(column, ' ');
  }
  return line + wrapped(help, column, width) + '\n';
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

std::vector<FlagDoc> of_group(const std::vector<FlagDoc>& flags, const std::string& group) {
  std::vector<FlagDoc> found;
  std::ranges::copy_if(flags, std::back_inserter(found),
                       [&group](const FlagDoc& flag) { return flag.group == group; });
  return found;
}

std::string entries(const std::vector<FlagDoc>& flags, const Console& console) {
  std::string text;
  for (const FlagDoc& flag : flags) {
    text += entry(left_of(flag), flag.help, k_flags_column, text_width(console));
  }
  return text;
}

// "-n/--namespace, --context, ...": every command has them, so the short help only names them.
std::string names_alone(const std::vector<FlagDoc>& flags, std::size_t width) {
  std::vector<std::string> names;
  for (const auto& flag : flags) {
    const std::string letter = flag.letter.empty() ? "" : flag.letter + "/";
    names.push_back(letter + flag.names.front());
  }
  constexpr std::size_t k_indent = 2;
  return cat("  ", wrapped(join(names, ", "), k_indent, width), "\n");
}

std::string groups(const std::vector<FlagDoc>& flags, const Console& console, bool all) {
  std::string text;
  for (const std::string& group : group_titles(flags)) {
    if (only_in_full_help(group) && !all) continue;
    const auto members = of_group(flags, group);
    const bool is_named_alone = group == k_group_general && !all;
    text += heading(group, console);
    text += is_named_alone ? names_alone(members, text_width(console)) : entries(members, console);
  }
  return text;
}

int place_of(const Command& command, const FlagDoc& flag) {
  if (flag.group == k_group_one_role) return 0;
  const auto row = options::find_row(command.name, flag.names.front().substr(2));
  return row ? row->common : 0;
}

// The flags that most lines have, in the order in which a newcomer needs them.
std::vector<FlagDoc> common_flags(const Command& command, const std::vector<FlagDoc>& flags) {
  std::vector<FlagDoc> common;
  std::ranges::copy_if(flags, std::back_inserter(common),
                       [&command](const FlagDoc& flag) { return place_of(command, flag) > 0; });
  std::ranges::stable_sort(common, {},
                           [&command](const FlagDoc& flag) { return place_of(command, flag); });
  return common;
}

// True when the flags of the command itself would fill more than two screens.
bool has_many(const std::vector<FlagDoc>& flags) {
  constexpr std::ptrdiff_t k_many = 25;
  return std::ranges::count_if(flags, [](const FlagDoc& flag) {
           return flag.group != k_group_general && !only_in_full_help(flag.group);
         }) > k_many;
}

// The part of a help text before its details.
FlagDoc in_short(FlagDoc flag) {
  flag.help = flag.help.substr(0, flag.help.find("; "));
  return flag;
}

// "  Volumes                 --pvc-new, --scratch, --git-sync, ...", cut at the width.
std::string group_line(const std::string& group, const std::vector<FlagDoc>& flags,
                       std::size_t width) {
  constexpr std::size_t k_names_column = 24;
  constexpr std::string_view k_more = ", ...";
  std::string line = "  " + group;
  line.resize(k_names_column, ' ');
  for (const FlagDoc& flag : flags) {
    const bool is_first = &flag == &flags.front();
    const std::string name = cat(is_first ? "" : ", ", flag.names.front());
    const std::size_t more = &flag == &flags.back() ? 0 : k_more.size();
    if (line.size() + name.size() + more > width) return cat(line, is_first ? "" : k_more, "\n");
    line += name;
  }
  return line + "\n";
}

// The common flags, and the others by their names alone.
std::string short_help(const std::vector<FlagDoc>& common, const std::vector<FlagDoc>& flags,
                       const Console& console) {
  std::vector<FlagDoc> shown;
  std::ranges::transform(common, std::back_inserter(shown), in_short);
  std::string text = heading("Common flags", console) + entries(shown, console);
  text += heading("More flags (--help GROUP or --help-all explains them)", console);
  const auto is_common = [&common](const FlagDoc& flag) {
    return std::ranges::find(common, flag.names, &FlagDoc::names) != common.end();
  };
  for (const std::string& group : group_titles(flags)) {
    auto others = of_group(flags, group);
    std::erase_if(others, is_common);
    if (!others.empty()) text += group_line(group, others, text_width(console));
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
    if (doc.names.front() == "--help-all") doc.value.clear();
    if (doc.names.front() == "--help") doc.value = options::find_option_row("", "help")->value;
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

std::vector<std::string> group_titles(const std::vector<FlagDoc>& flags) {
  std::vector<std::string> titles;
  for (const auto& flag : flags) {
    if (std::ranges::find(titles, flag.group) == titles.end()) titles.push_back(flag.group);
  }
  std::stable_partition(titles.begin(), titles.end(), is_of_the_command);
  return titles;
}

std::string group_word(std::string_view title) {
  return lower(split_once(title, ' ').first);
}

std::string command_help(const Command& command, const CLI::App& app, const Console& console,
                         bool all) {
  std::string text =
      cat(command.summary, "\n", heading("Usage", console), "  ", usage_line(command, app), "\n");
  if (!command.alias.empty()) text += cat("  trainctl ", command.alias, " is an alias\n");
  text += examples(command, console);
  const std::vector<FlagDoc> flags = flag_docs(app);
  if (all) return text + groups(flags, console, all);
  const std::vector<FlagDoc> common = common_flags(command, flags);
  if (has_many(flags) && !common.empty()) return text + short_help(common, flags, console);
  const std::string more = "`--help-all` explains the general flags and those of the connection.";
  return cat(text, groups(flags, console, all), "\n", wrapped(more, 0, text_width(console)), "\n");
}

Result<std::string> group_help(const Command& command, const CLI::App& app,
                               const std::string& group, const Console& console) {
  const std::vector<FlagDoc> flags = flag_docs(app);
  const std::vector<std::string> titles = group_titles(flags);
  const auto title = std::ranges::find_if(titles, [&group](const std::string& each) {
    return lower(group) == lower(each) || lower(group) == group_word(each);
  });
  if (title != titles.end()) {
    return heading(*title, console).substr(1) + entries(of_group(flags, *title), console);
  }
  std::vector<std::string> words;
  std::ranges::transform(titles, std::back_inserter(words), group_word);
  return Error{Code::usage, cat(command.name, " has no group of flags `", group, "`"),
               cat("name one of these: ", join(words, ", "))};
}

std::string program_help(const CommandTable& commands, const Console& console) {
  std::string text =
      "Submits distributed training jobs to Kubernetes and follows them to their end.\n";
  const auto add = [&](std::string_view left, std::string_view help) {
    text += entry(std::string(left), help, k_commands_column, text_width(console));
  };
  std::string_view group;
  for (const Command& command : commands.all()) {
    if (command.group.empty()) continue;
    if (command.group != group) text += heading(command.group, console);
    group = command.group;
    add(command.name, command.summary);
  }
  text += heading("Help", console);
  add("COMMAND --help", "Examples and flags of a command; --help GROUP: of one group");
  add("help exit-codes", "Meaning of each exit status");
  add("help reports", "Fields of JSON reports and log lines");
  add("help schema", "The same, or the configuration, as JSON Schemas");
  add("help slurm", "Batch scripts, and the flags that stand for sbatch's");
  return text;
}

}  // namespace trainctl::cli
