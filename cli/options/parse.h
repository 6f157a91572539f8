// Defines one command with its flags in a CLI11 app, and parses its arguments.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/options/bind.h"
#include "cli/options/globals.h"
#include "options/table/defaults.h"

namespace trainctl::cli {

enum class Asked { to_run, help, all_help };

// The part of a command's help that is printed.
struct HelpPart {
  bool all = false;
  std::string group;  // of `--help GROUP`; "" = every group
};

class ParsedCommand {
 public:
  ParsedCommand(const Command& command, const options::Typed& typed);
  ~ParsedCommand();
  ParsedCommand(const ParsedCommand&) = delete;
  ParsedCommand& operator=(const ParsedCommand&) = delete;

  // Parses typed.args. All errors are Code::usage, in our wording.
  Result<Asked> parse();
  // After parse(): sets flags that were not typed from the settings, among them those of the
  // presets that the line chooses. A value passes the same checks as a typed one. Refuses flags
  // that need others.
  Status take_defaults(const std::vector<options::Setting>& settings,
                       const Environment& environment);

  const CLI::App& app() const { return *app_; }
  CLI::App& app() { return *app_; }
  // The rows of given or configured flags that another one has replaced.
  std::vector<options::OptionRow> older_names() const;
  // The settings taken from the configuration.
  const std::vector<options::Setting>& defaults() const { return defaults_; }
  const Globals& globals() const { return globals_; }
  // After parse(): the group of `--help GROUP`; "" = none.
  const std::string& help_group() const { return help_group_; }
  std::string_view command_name() const { return command_.name; }
  const Runner& runner() const { return runner_; }

 private:
  CLI::Option* find(const std::string& flag);
  bool take_help_group(std::vector<std::string>& words, std::vector<std::string>::iterator word);
  Status check_values_follow(std::vector<std::string>& words);
  Result<std::string> flag_before_value(const std::string& word);
  Result<std::string> letter_before_value(std::string& word);
  std::vector<options::GivenFlag> typed_flags() const;
  Status take(const options::Setting& setting);
  void read_cluster_flags();
  std::string typed_value(const std::string& flag) const;
  Error needs_value(const std::string& flag, std::string_view why = "");
  Error unknown_flag(const std::string& flag);
  Error unexpected(const std::string& word);
  std::optional<std::string> line_with(std::size_t at, const std::string& instead);
  std::string program_before(const std::string& end);
  Error refused(const std::string& complaint);

  const Command& command_;
  const options::Typed& typed_;
  Globals globals_;
  std::function<void(const std::string& flag)> define_flag_;
  std::vector<options::Setting> defaults_;
  std::string help_group_;
  std::unique_ptr<CLI::App> app_;
  Runner runner_;
};

// Prints the help of a command to stdout; `typed`: its arguments, since `local up` has other flags
// than `local`. Code::usage when it has no such group.
Status print_help(const Command& command, options::Typed typed, const HelpPart& part,
                  Console& console);

}  // namespace trainctl::cli
