// What each option of each command is, and which sources may set it. Parsing, defaults,
// configuration, hints and completion use these rows; help groups and placeholders decide nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "job/manifest/flags.h"

namespace trainctl::cli {

using job::Tree;

// The type of a value. `path` is a path on this machine.
enum class Type { toggle, text, choice, path, count, duration, time, kind, phase, job_value };

enum class Staying {
  independent,
  asks,   // the command stays with its job
  needs,  // has no meaning in a command that does not stay
};

// An option's role in choosing the cluster.
enum class Place {
  none,
  cluster,   // names a cluster, or its user, and so conflicts with --local
  secret,    // the same, but is neither shown nor read from a file
  embedded,  // chooses the embedded cluster, and so conflicts with flags that name another
  within,    // chooses a place within a cluster
};

struct OptionRow {
  std::string_view name;      // long name, without dashes
  std::string_view commands;  // commands that have it, blank-separated; "*" = all
  Type type;
  Tree tree;  // whether a working tree's file may set it, for commands that read or submit
  Staying staying = Staying::independent;
  Place place = Place::none;
  // Blank-separated flags with the same meaning or in conflict with it.
  std::string_view gives_way_to = "";
  std::string_view off = "false";  // the value that switches it off
  // For an option that needs a command that stays: the flag that gives it a meaning without.
  std::string_view meant_by = "";
  std::string_view offers =
      "";  // completions: words, a resource of the namespace, or "/": directories
};

// The table of all options except job flags, which have their own (job/manifest/flags.cpp).
std::span<const OptionRow> option_rows();
// Commands that make a job of flags, and "" for all of them.
bool has_job_flags(std::string_view command);

// The row of an option, including job flags. "" as command means the top level of a configuration,
// which holds options of all commands and of submitting. nullopt when there is no such option.
std::optional<OptionRow> find_row(std::string_view command, std::string_view option);

// True for options that every command has.
bool is_global(const OptionRow& row);
// True when `word` is in the blank-separated `list`.
bool lists(std::string_view list, std::string_view word);

}  // namespace trainctl::cli
