// How help looks, and the plain facts about flags that help, completion and manual share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/console.h"
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

// "trainctl logs [flags] JOB[/REPLICA]"
std::string usage_line(const Command& command, const CLI::App& app);

// `trainctl COMMAND --help`; `all` adds the connection flags and the flags of one role.
std::string command_help(const Command& command, const CLI::App& app, const Console& console,
                         bool all);
// `trainctl --help`
std::string program_help(const Console& console);

// Lines of at most `width` columns, each behind `indent` blanks but the first.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace trainctl::cli
