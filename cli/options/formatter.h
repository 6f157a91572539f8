// The layout of help, and the facts about flags that help, completion and manual share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/console/console.h"
#include "base/result.h"
#include "cli/command.h"

namespace trainctl::cli {

struct FlagDoc {
  std::string letter;              // "-i" or ""
  std::vector<std::string> names;  // "--image"
  std::string value;               // "IMAGE"; "" for a switch
  std::string group, help;
};
// The visible flags of a command in the order of definition.
std::vector<FlagDoc> flag_docs(const CLI::App& app);

// The usage line: "trainctl logs [flags] JOB[/REPLICA]".
std::string usage_line(const Command& command, const CLI::App& app);

// The headings of the flags, in the order of help.
std::vector<std::string> group_titles(const std::vector<FlagDoc>& flags);
// The word that names a group in `--help GROUP`: "security" of "Security and network".
std::string group_word(std::string_view title);

// The text of `trainctl COMMAND --help`; `all` explains every flag. The app of a command with many
// flags must have those of each role.
std::string command_help(const Command& command, const CLI::App& app, const Console& console,
                         bool all);
// The text of `trainctl COMMAND --help GROUP`; Code::usage lists the groups if there is none.
Result<std::string> group_help(const Command& command, const CLI::App& app,
                               const std::string& group, const Console& console);
// The text of `trainctl --help`.
std::string program_help(const CommandTable& commands, const Console& console);

}  // namespace trainctl::cli
