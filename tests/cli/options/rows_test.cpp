// Every option of every command has its row, and the row alone decides who may give it.
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
namespace TEST_FILE {

using options::Effect;
using options::Place;
using options::Source;
using options::Tree;
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
  std::vector<options::OptionRow> all;
  for (const auto rows :
       {options::command_rows(), options::following_rows(), options::global_rows()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
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

TEST_CASE("who may give an option is decided by its row, for every option of every command") {
  for (const Walked& walked : every_option()) {
    if (!walked.is_key) continue;
    const auto row = options::find_row(walked.command.name, walked.option);
    REQUIRE(row);
    CAPTURE(walked.command.name);
    CAPTURE(walked.option);
    const bool is_secret = row->place == Place::secret;
    CHECK(said_by(Source::user, walked).has_value() == !is_secret);
    CHECK(said_by(Source::site, walked).has_value() == !is_secret);

    const bool heard =
        walked.command.effect == Effect::reads || walked.command.effect == Effect::submits;
    CHECK(said_by(Source::working_tree, walked).has_value() ==
          (heard && row->tree != Tree::never && !is_secret));
  }
}

// The promise itself, apart from the rows that keep it.
TEST_CASE("no row lets a working tree say where, as whom, how quietly or how safely") {
  for (const options::OptionRow& row : every_row()) {
    CAPTURE(row.name);
    if (row.place != Place::none) CHECK(row.tree == Tree::never);
    if (row.type == Type::path) CHECK((row.tree == Tree::never || row.tree == Tree::agreed));
    if (row.commands == "delete" || row.commands == "local") CHECK(row.tree == Tree::never);
  }
  for (const char* name : {"server", "kubeconfig", "as", "client-key", "namespace", "context",
                           "local", "quiet", "verbose", "ci", "on-timeout", "on-interrupt",
                           "if-exists", "dry-run", "tree-config", "insecure-skip-tls-verify",
                           "insecure-skip-tls-verify-backend", "env-file", "worker-env-file"}) {
    CAPTURE(name);
    const auto row =
        options::find_row(std::string_view(name).ends_with("backend") ? "logs" : "submit", name);
    REQUIRE(row);
    CHECK(row->tree == Tree::never);
  }
  for (const char* name : {"volume",
                           "nfs-server",
                           "mount-propagation",
                           "service-account",
                           "run-as",
                           "add-capability",
                           "allow-privilege-escalation",
                           "host-network",
                           "host-ipc",
                           "env-secret",
                           "env-from-secret",
                           "secret-volume",
                           "set",
                           "overlay",
                           "preset",
                           "worker-volume",
                           "master-run-as",
                           "extended-resource",
                           "gpu-resource",
                           "ephemeral-pvc",
                           "s3"}) {
    CAPTURE(name);
    const auto row = options::find_row("submit-pytorch", name);
    REQUIRE(row);
    CHECK(row->tree == Tree::agreed);
  }
}

TEST_CASE("no row lets a working tree choose which jobs, replicas and lines are shown") {
  for (const auto& [command, names] :
       {std::pair{"get", "selector status kind"}, std::pair{"wait", "selector kind for"},
        std::pair{"logs", "tail since since-time previous role rank pod container kind"},
        std::pair{"env", "container kind"}}) {
    for (const std::string& name : split(names, ' ')) {
      CAPTURE(command);
      CAPTURE(name);
      const auto row = options::find_row(command, name);
      REQUIRE(row);
      CHECK(row->tree == Tree::never);
    }
  }
}

// A job flag that is not in this list changes neither the program nor what it finds when it starts;
// whoever adds one decides here.
TEST_CASE("each row whose value could run a program as the user asks first where it would") {
  const std::set<std::string> asking = {"arg",         "command",       "expand",
                                        "working-dir", "env",           "environment",
                                        "pvc",         "pvc-exists",    "configmap-volume",
                                        "scratch",     "env-configmap", "env-from-configmap",
                                        "env-field",   "torchrun"};
  std::set<std::string> found;
  for (const job::Flag& flag : job::flags()) {
    if (flag.tree == Tree::agreed_here || flag.tree == Tree::with_value) {
      found.insert(std::string(flag.name));
    }
  }
  CHECK(found == asking);
  CHECK(options::find_row("submit-pytorch", "worker-env")->tree == Tree::with_value);
}

// A flag that is not in this list needs consent, or is not heard at all: whoever adds one decides
// here. What is in it changes neither which program runs, nor whose rights it has, nor where.
TEST_CASE("a working tree's file sets these flags without asking, and no other") {
  const std::string listed =
      "active-deadline backoff-limit chief clean-pod-policy cpu cpu-limit evaluator "
      "exclude-node gang-min-available gang-queue gang-timeout gpu gpu-product image "
      "image-pull-policy image-pull-secret job-name-prefix large-shm max-replicas "
      "max-restarts memory memory-limit min-replicas no-master node node-selector "
      "nproc-per-node pack port preferred-pod-topology-key priority-class ps queue "
      "rdzv-backend replicas required-pod-topology-key restart-policy run-as-non-root "
      "runtime-class scheduler-name shm-size slots-per-worker spread stdin success-policy "
      "suspend topology ttl-after-finish tty workers";
  std::set<std::string> found;
  for (const job::Flag& flag : job::flags()) {
    if (flag.tree == Tree::freely) found.insert(std::string(flag.name));
  }
  CHECK(join(std::vector<std::string>(found.begin(), found.end()), " ") == listed);
}

TEST_CASE("a working tree's file sets these options of commands without asking, and no other") {
  const std::string listed =
      "all all-namespaces api avoid-bad-nodes code-image events fail-fast follow max-parallel "
      "no-color no-headers output prefix request-timeout require-all-replicas retry retry-on "
      "sort-by "
      "start-timeout timeout timestamps wait watch";
  std::set<std::string> found;
  for (const options::OptionRow& row : every_row()) {
    if (row.tree == Tree::freely) found.insert(std::string(row.name));
  }
  CHECK(join(std::vector<std::string>(found.begin(), found.end()), " ") == listed);
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
      CHECK(before->tree == after->tree);
      CHECK(options::is_global(*before) == options::is_global(*after));
    }
    CHECK(parsed.parse().has_value() == cli::ParsedCommand(command, typed).parse().has_value());
  }
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
