// One command with its flags, defined into a CLI11 app and parsed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/console.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/flags.h"

namespace trainctl::cli {

enum class Asked { to_run, help, all_help };

class ParsedCommand {
 public:
  ParsedCommand(const Command& command, const Typed& typed);
  ~ParsedCommand();
  ParsedCommand(const ParsedCommand&) = delete;
  ParsedCommand& operator=(const ParsedCommand&) = delete;

  // Reads typed.args; all errors are Code::usage, in our words.
  Result<Asked> parse();

  const CLI::App& app() const { return *app_; }
  const Globals& globals() const { return globals_; }
  const Runner& runner() const { return runner_; }

 private:
  Error unknown_flag(const std::string& flag) const;
  Error refused(const std::string& complaint) const;

  const Command& command_;
  const Typed& typed_;
  Globals globals_;
  std::unique_ptr<CLI::App> app_;
  Runner runner_;
};

// The help of a command on stdout.
Status print_help(const Command& command, Console& console, bool all);

}  // namespace trainctl::cli
