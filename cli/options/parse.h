// Defines one command with its flags in a CLI11 app, and parses its arguments.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/options/flags.h"
#include "cli/options/globals.h"
#include "options/table/argv.h"
#include "options/table/setting.h"

namespace trainctl::cli {

enum class Asked { to_run, help, all_help };

class ParsedCommand {
 public:
  ParsedCommand(const Command& command, const options::Typed& typed);
  ~ParsedCommand();
  ParsedCommand(const ParsedCommand&) = delete;
  ParsedCommand& operator=(const ParsedCommand&) = delete;

  // Parses typed.args, with settings from the configuration for flags that were not typed, and with
  // those of the presets that the line chooses. All errors are Code::usage, in our wording.
  Result<Asked> parse(const std::vector<options::Setting>& settings,
                      const Environment& environment = {});
  // The same, when the configuration and thus its presets are unknown.
  Result<Asked> parse();

  const CLI::App& app() const { return *app_; }
  CLI::App& app() { return *app_; }
  // The settings taken from the configuration.
  const std::vector<options::Setting>& defaults() const { return defaults_; }
  const Globals& globals() const { return globals_; }
  std::string_view command_name() const { return command_.name; }
  const Runner& runner() const { return runner_; }

 private:
  Result<Asked> parse_line(const std::vector<options::Setting>* settings,
                           const Environment& environment);
  Result<Asked> parse_args(const options::GivenArgs& args);
  Status take_defaults(const options::KnownFlags& flags,
                       const std::vector<options::Setting>& settings,
                       const Environment& environment, options::GivenArgs& args);
  void read_places();
  Error unknown_flag(const std::string& flag) const;
  Error unexpected(const std::string& word) const;
  Error refused(const std::string& complaint) const;

  const Command& command_;
  const options::Typed& typed_;
  Globals globals_;
  std::vector<options::Setting> defaults_;
  std::unique_ptr<CLI::App> app_;
  Runner runner_;
};

// Prints the help of a command to stdout; `typed`: its arguments, since `local up` has other flags
// than `local`. Flags of one role are part of it if typed.defined says so.
Status print_help(const Command& command, const options::Typed& typed, Console& console);

}  // namespace trainctl::cli
