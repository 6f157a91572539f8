// The table of commands against itself, and the promises every command keeps.
#include <set>

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cli/command.h"
#include "cli/options/formatter.h"
#include "cli/options/parse.h"
#include "cli/run_command.h"
#include "manifest/flags/flags.h"
#include "support/all_commands.h"

namespace trainctl::testing {
namespace commands_test {

TEST_CASE("no two flags of a command share a name, and each is explained") {
  for (const cli::Command& command : all_commands().all()) {
    CAPTURE(command.name);
    options::Typed typed;
    typed.defined = options::Typed::Defined::each_role;
    const cli::ParsedCommand parsed(command, typed);  // throws on a name used twice
    std::set<std::string> letters;
    for (const cli::FlagDoc& flag : cli::flag_docs(parsed.app())) {
      CAPTURE(flag.names.front());
      CHECK_FALSE(flag.help.empty());
      CHECK((flag.letter.empty() || letters.insert(flag.letter).second));
    }
  }
}

TEST_CASE("every job flag can be typed, and for every role it may differ in") {
  for (const job::Kind& kind : job::operator_kinds()) {
    const cli::Command* command = all_commands().find(cat("submit-", kind.alias));
    REQUIRE(command);
    options::Typed typed;
    typed.defined = options::Typed::Defined::each_role;
    const cli::ParsedCommand parsed(*command, typed);
    for (const job::Flag& flag : job::flags()) {
      if (!job::applies_to(flag, kind)) continue;
      CAPTURE(flag.name);
      CHECK(parsed.app().get_option_no_throw(cat("--", flag.name)) != nullptr);
      if (!job::per_role(flag)) continue;
      for (const job::Role& role : kind.roles) {
        CHECK(parsed.app().get_option_no_throw(cat("--", role.prefix, "-", flag.name)) != nullptr);
      }
    }
  }
}

// Defining all of them takes longer than the rest of a start.
TEST_CASE("a line defines the job flags that it names, and no others but those with a letter") {
  const cli::Command* command = all_commands().find("submit-pytorch");
  REQUIRE(command);
  for (const std::string name : {"memory", "worker-gpu"}) {
    const std::string word = cat("--", name);
    CAPTURE(word);
    options::Typed typed;
    typed.defined = options::Typed::Defined::named;
    typed.args = {word, "1"};
    cli::ParsedCommand parsed(*command, typed);
    CHECK(parsed.app().get_option_no_throw(cat("--", name)) == nullptr);
    static_cast<void>(parsed.parse());
    CHECK(parsed.app().get_option_no_throw(cat("--", name)) != nullptr);
    CHECK(parsed.app().get_option_no_throw("--shm-size") == nullptr);
  }
}

TEST_CASE("kubectl's connection flags have kubectl's names on every command") {
  for (const cli::Command& command : all_commands().all()) {
    CAPTURE(command.name);
    const options::Typed typed;
    const cli::ParsedCommand parsed(command, typed);
    for (const auto* name :
         {"--context", "--namespace", "-n", "--kubeconfig", "--cluster", "--user", "--server",
          "--token", "--as", "--as-group", "--as-uid", "--certificate-authority",
          "--client-certificate", "--client-key", "--insecure-skip-tls-verify", "--tls-server-name",
          "--request-timeout"}) {
      CAPTURE(name);
      CHECK(parsed.app().get_option_no_throw(name) != nullptr);
    }
  }
}

TEST_CASE("help, version and completion touch no file and no network") {
  CommandRun run;
  for (const cli::Command& command : all_commands().all()) {
    if (command.group.empty()) continue;
    CAPTURE(command.name);
    CHECK(run({command.name, "--help"}) == 0);
    CHECK(run.console.stdout_text.find(command.summary) == 0);
    CHECK(run.console.stderr_text.empty());
  }
  CHECK(run({"version"}) == 0);
  CHECK(run({"--version"}) == 0);
  CHECK(run.clients == 0);
}

TEST_CASE("a reader that goes away ends the program quietly, as the shell expects") {
  CommandRun run;
  run.console.pipe_breaks_after = 10;
  CHECK(run({"--help"}) == 141);
  CHECK(run.console.stderr_text.empty());
}

TEST_CASE("a result that cannot be written is an error, not a success") {
  CommandRun run;
  run.files.write_fails_with = "No space left on device";
  CHECK(run({"template", "eject", "pytorch"}) == 1);
  CHECK(run.console.stderr_text.find("No space left on device") != std::string::npos);
}

TEST_CASE("the manual and the help name every exit status") {
  CommandRun run;
  CHECK(run({"__man"}) == 0);
  const std::string manual = run.console.stdout_text;
  CHECK(run({"help", "exit-codes"}) == 0);
  for (const ExitStatus& status : exit_statuses()) {
    const std::string code = cat(static_cast<int>(status.code));
    CHECK(manual.find("\n.B " + code + "\n") != std::string::npos);
    CHECK(run.console.stdout_text.find("\n" + code + " ") != std::string::npos);
  }
}

TEST_CASE("no text in the manual is taken for a roff request") {
  CommandRun run;
  CHECK(run({"__man"}) == 0);
  const std::set<std::string> known = {".TH", ".SH", ".SS", ".TP", ".B", ".I", ".PP", ".nf", ".fi"};
  for (const std::string& line : split(run.console.stdout_text, '\n')) {
    if (!line.starts_with('.') && !line.starts_with('\'')) continue;
    CHECK_MESSAGE(known.contains(split_once(line, ' ').first), line);
  }
}

TEST_CASE("the help of a command fits two screens") {
  CommandRun run;
  run.console.width = 80;
  for (const cli::Command& command : all_commands().all()) {
    CAPTURE(command.name);
    CHECK(run({command.name, "--help"}) == 0);
    CHECK(split(run.console.stdout_text, '\n').size() <= 2 * 27);
  }
}

TEST_CASE("every flag that help-all explains is in the group that its help names") {
  CommandRun run;
  CHECK(run({"submit-tf", "--help-all"}) == 0);
  const std::string all = run.console.stdout_text;
  options::Typed typed;
  typed.defined = options::Typed::Defined::each_role;
  const cli::ParsedCommand parsed(*all_commands().find("submit-tf"), typed);
  for (const std::string& title : cli::group_titles(cli::flag_docs(parsed.app()))) {
    CAPTURE(title);
    CHECK(run({"submit-tf", "--help", cli::group_word(title)}) == 0);
    CHECK(all.find("\n" + run.console.stdout_text) != std::string::npos);
  }
}

TEST_CASE("help fits the terminal it is read on") {
  CommandRun run;
  run.console.width = 60;
  CHECK(run({"logs", "--help"}) == 0);
  for (const std::string& line : split(run.console.stdout_text, '\n')) {
    if (line.starts_with("  trainctl")) continue;  // examples stay in one line, to be pasted
    CHECK_MESSAGE(display_width(line) <= 60, line);
  }
}

}  // namespace commands_test
}  // namespace trainctl::testing
