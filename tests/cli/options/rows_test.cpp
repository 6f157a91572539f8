// Every option of every command has its row, and any file of the user's may set it.
#include "options/table/rows.h"

#include <set>

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cli/command.h"
#include "cli/options/config_keys.h"
#include "cli/options/parse.h"
#include "options/settings/settings.h"
#include "support/all_commands.h"

namespace trainctl::testing {
namespace rows_test {

using options::ConnectionRole;
using options::Source;
using options::Type;

constexpr const char* k_file = "/work/.trainctl.yaml";

struct Walked {
  cli::Command command;
  std::string option;
  bool is_switch, is_list, is_key;
  std::string type_name;
};

// All options of all commands, those that help does not show and those of one role, too.
std::vector<Walked> every_option() {
  std::vector<Walked> all;
  for (const cli::Command& command : all_commands().all()) {
    options::Typed typed;
    typed.defined = options::Typed::Defined::each_role;
    const cli::ParsedCommand parsed(command, typed);
    for (const CLI::Option* option : parsed.app().get_options()) {
      if (option->get_positional()) continue;
      const std::string name = option->get_lnames().front();
      const bool is_help = name == "help" || name == "help-all";
      all.push_back({command, name, option->get_items_expected_max() == 0,
                     option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll,
                     command.configured && !option->get_group().empty() && !is_help,
                     option->get_type_name()});
    }
  }
  return all;
}

std::vector<options::OptionRow> every_row() {
  return {options::option_rows().begin(), options::option_rows().end()};
}

// A value of the option's type that no check refuses because of its form alone.
Result<std::vector<options::Setting>> said_by(Source source, const Walked& walked) {
  cli::ConfigKeys keys(all_commands());
  const std::string value = walked.is_switch ? "\"true\"" : "A=x";
  const std::string text = cat(walked.command.name, ":\n  ", walked.option, ": ", value, "\n");
  return options::file_settings({source, k_file}, text, Environment(), keys);
}

TEST_CASE("an option that nobody has decided about is in no command") {
  for (const Walked& walked : every_option()) {
    CAPTURE(walked.command.name);
    CAPTURE(walked.option);
    CHECK(options::find_row(walked.command.name, walked.option).has_value());
  }
}

TEST_CASE("a row without an option, which would decide nothing, is not kept") {
  std::set<std::string> there;
  for (const Walked& walked : every_option()) {
    const bool one_kind = walked.command.name.starts_with("submit-");
    const std::string command = one_kind ? "submit-KIND" : walked.command.name;
    there.insert(cat(command, ' ', walked.option));
    there.insert(cat("* ", walked.option));
  }
  for (const options::OptionRow& row : every_row()) {
    for (const std::string& command : split(row.commands, ' ')) {
      CAPTURE(command);
      CAPTURE(row.name);
      CHECK(there.contains(cat(command, ' ', row.name)));
    }
  }
}

TEST_CASE("the values that other options give way to, and paths, are what their rows say") {
  for (const Walked& walked : every_option()) {
    const auto row = options::find_row(walked.command.name, walked.option);
    REQUIRE(row);
    CAPTURE(walked.command.name);
    CAPTURE(walked.option);
    const bool names_file = walked.type_name == "FILE" || walked.type_name == "DIR";
    CHECK(names_file == (row->type == Type::path));
  }
}

TEST_CASE("every file may set every option of every command, but for secrets") {
  std::set<std::string> seen;
  for (const Walked& walked : every_option()) {
    if (!walked.is_key) continue;
    const auto row = options::find_row(walked.command.name, walked.option);
    REQUIRE(row);
    CAPTURE(walked.command.name);
    CAPTURE(walked.option);
    const bool is_secret = row->connection == ConnectionRole::secret;
    CHECK(said_by(Source::user, walked).has_value() == !is_secret);
    // The rule of the other two files is the option's, whatever the command.
    if (!seen.insert(walked.option).second) continue;
    CHECK(said_by(Source::site, walked).has_value() == !is_secret);
    const bool may_tree = !is_secret && walked.option != "tree-config";
    CHECK(said_by(Source::working_tree, walked).has_value() == may_tree);
  }
}

TEST_CASE("another name for a help group changes no rule") {
  for (const cli::Command& command : all_commands().all()) {
    if (command.group.empty()) continue;
    const options::Typed typed;
    cli::ParsedCommand parsed(command, typed);
    for (CLI::Option* option : parsed.app().get_options()) {
      if (option->get_positional()) continue;
      const std::string name = option->get_lnames().front();
      const auto before = options::find_row(command.name, name);
      option->group("Renamed");
      const auto after = options::find_row(command.name, name);
      CAPTURE(name);
      REQUIRE(before);
      REQUIRE(after);
      CHECK(options::is_global(*before) == options::is_global(*after));
    }
    CHECK(parsed.parse().has_value() == cli::ParsedCommand(command, typed).parse().has_value());
  }
}

}  // namespace rows_test
}  // namespace trainctl::testing
