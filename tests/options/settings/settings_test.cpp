// The rules of the configuration over all flags there are, so that a new flag cannot escape them.
#include "options/settings/settings.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/config_text.h"
#include "cli/options/config_keys.h"
#include "cli/options/formatter.h"
#include "cli/options/parse.h"
#include "cli/run_command.h"
#include "support/all_commands.h"

namespace trainctl::testing {
namespace settings_test {

using cli::ConfigKeys;
using options::Source;

constexpr const char* k_tree = "/work/.trainctl.yaml";

Environment at_home() {
  return Environment(
      std::map<std::string, std::string, std::less<>>{{"HOME", "/home/ada"}, {"PWD", "/work"}});
}

std::vector<cli::FlagDoc> flags_of(const std::string& name) {
  const cli::Command* command = all_commands().find(name);
  REQUIRE(command);
  const options::Typed typed;
  const cli::ParsedCommand parsed(*command, typed);
  return cli::flag_docs(parsed.app());
}

Result<std::vector<options::Setting>> read(Source source, const std::string& text) {
  ConfigKeys keys(all_commands());
  return options::file_settings({source, k_tree}, text, at_home(), keys);
}

TEST_CASE("every flag of a command can be a key of its section") {
  ConfigKeys keys(all_commands());
  for (const std::string& section : ConfigKeys(all_commands()).sections()) {
    for (const cli::FlagDoc& flag : flags_of(section)) {
      const std::string key = flag.names.front().substr(2);
      if (key.starts_with("help")) continue;
      CAPTURE(section);
      CAPTURE(key);
      CHECK(keys.find(section, key));
    }
  }
}

TEST_CASE("flags of all commands and of submitting can stand at the top, those of delete cannot") {
  ConfigKeys keys(all_commands());
  for (const cli::FlagDoc& flag : flags_of("submit-pytorch")) {
    const std::string key = flag.names.front().substr(2);
    CAPTURE(key);
    CHECK(keys.find("", key).has_value() != key.starts_with("help"));
  }
  CHECK(keys.find("", "ps"));
  CHECK(keys.find("", "worker-memory"));
  for (const char* key : {"yes", "older-than", "all-namespaces", "help", "gpu-memory", "project"}) {
    CAPTURE(key);
    CHECK_FALSE(keys.find("", key));
  }
}

TEST_CASE("the variable of a command's flag is never that of another flag") {
  ConfigKeys keys(all_commands());
  for (const std::string& key : keys.names("")) {
    for (const std::string& section : ConfigKeys(all_commands()).sections()) {
      if (!key.starts_with(section + "-")) continue;
      CAPTURE(key);
      CHECK_FALSE(keys.find(section, key.substr(section.size() + 1)));
    }
  }
}

TEST_CASE("a secret in a file is refused wherever the file lies, and not repeated") {
  for (const Source source : {Source::working_tree, Source::user, Source::site}) {
    const auto settings = read(source, "token: hush\n");
    REQUIRE_FALSE(settings);
    CHECK(settings.error().message.find("hush") == std::string::npos);
  }
}

TEST_CASE("numbers, switches and paths of a file are what would have been typed") {
  const auto settings =
      read(Source::user, "gpu: 2\ncpu: 1.5\nfollow: yes\ntemplate: t.yaml\noverlay: [~/o.yaml]\n");
  REQUIRE(settings);
  REQUIRE(settings->size() == 5);
  CHECK((*settings)[0].values == std::vector<std::string>{"2"});
  CHECK((*settings)[1].values == std::vector<std::string>{"1.5"});
  CHECK((*settings)[2].values == std::vector<std::string>{"true"});
  CHECK((*settings)[3].values == std::vector<std::string>{"/work/t.yaml"});
  CHECK((*settings)[4].values == std::vector<std::string>{"/home/ada/o.yaml"});
}

TEST_CASE("a key is set where no comment is lost") {
  CHECK(*with_config_key("a: 1", "f", "", "b", Json(2)) == "a: 1\nb: 2\n");
  CHECK(*with_config_key("get: {a: 1}\nc: [x]\n", "f", "get", "b", Json("new")) ==
        "get:\n  a: 1\n  b: new\nc:\n- x\n");
  CHECK(*with_config_key("", "f", "get", "a", Json(true)) == "get:\n  a: true\n");
  CHECK(*with_config_key("get:\n  a: 1\n", "f", "get", "a", Json()) == "");
  const auto lossy = with_config_key("{a: 1} # c\n", "f", "get", "b", Json(2));
  REQUIRE_FALSE(lossy);
  CHECK(lossy.error().hint == "write `b: 2` into its section `get` by hand");
  CHECK(with_config_key("# c\na: 1\n", "f", "", "a", Json()).error().hint ==
        "remove the key `a` by hand");
}

TEST_CASE("a broken configuration sends nothing, and does not stand in the way of help") {
  CommandRun run;
  run.environment = at_home();
  run.files.files["/home/ada/.config/trainctl/config.yaml"] = "namespace: [\n";
  for (const std::string& section : ConfigKeys(all_commands()).sections()) {
    CAPTURE(section);
    CHECK(run({section}) == 2);
    CHECK(run({section, "--help"}) == 0);
  }
  CHECK(run.clients == 0);
}

}  // namespace settings_test
}  // namespace trainctl::testing
