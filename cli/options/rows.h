// What each option of each command is, and who may give it. Parsing, defaults, configuration, hints
// and completion ask these rows; a help group or a placeholder decides nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "job/manifest/flags.h"

namespace trainctl::cli {

using job::Tree;

// What a value is. `path` is one of this machine.
enum class Type { toggle, text, choice, path, count, duration, time, kind, phase, job_value };

enum class Staying {
  independent,
  asks,   // the command stays with its job
  needs,  // means nothing to a command that does not stay
};

// What an option has to do with the choice of a cluster.
enum class Place {
  none,
  cluster,   // names one, or a user of one: contradicts --local
  secret,    // the same, and is neither shown nor read from a file
  embedded,  // takes this machine's, which no flag that names another may stand beside
  within,    // where in a cluster
};

struct OptionRow {
  std::string_view name;      // long, without dashes
  std::string_view commands;  // that have it, blank-separated; "*" = every one
  Type type;
  Tree tree;  // what a working tree's file may say, to commands that read or submit
  Staying staying = Staying::independent;
  Place place = Place::none;
  std::string_view gives_way_to = "";  // blank-separated: say the same, or cannot stand beside it
  std::string_view off = "false";      // the value that asks for nothing
  std::string_view offers = "";        // what TAB offers: words, or a resource of the namespace
};

// THE TABLE of the options that are no job flags; those have their own (job/manifest/flags.cpp).
std::span<const OptionRow> option_rows();

// Of a job flag too, by its own row. "" as command is the top level of a configuration, which holds
// what every command has, and what submits. nullopt: no such option.
std::optional<OptionRow> find_row(std::string_view command, std::string_view option);

// True for what every command has.
bool is_global(const OptionRow& row);
// True when `word` is one of those that `list` separates by blanks.
bool lists(std::string_view list, std::string_view word);

}  // namespace trainctl::cli
