// Whatever a job or a server says, and whichever command repeats it: a CI system and a terminal
// find no command in it, and a file gets it unchanged.
#include <csignal>

#include <doctest/doctest.h>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/yaml.h"
#include "cases/worlds.h"
#include "cli/run_command.h"

namespace trainctl::testing {
namespace hostile_words_test {

using Args = std::vector<std::string>;

constexpr std::string_view k_home = "/home/ada";
constexpr std::string_view k_kubeconfig = R"(apiVersion: v1
kind: Config
current-context: test
clusters: [{name: test, cluster: {server: "https://cluster.test:6443"}}]
users: [{name: ada, user: {token: t}}]
contexts: [{name: test, context: {cluster: test, user: ada, namespace: default}}]
)";

struct Output {
  std::string out, err;
  std::string all() const { return out + err; }
};

// Worlds of the worst words. What runs inside replicas needs a job that runs.
std::vector<const char*> worlds_for(const Args& args) {
  if (args.front() == "doctor") return {"ddp-hostile-inside", "ddp-running", "no-namesakes"};
  return {"ddp-hostile", "no-namesakes"};
}

// Runs the command against a server and a job of the worst words, as the set-up has it.
Output run(const Args& args, const std::map<std::string, std::string, std::less<>>& variables = {},
           const std::function<void(BufferConsole&)>& set_up = {}) {
  CommandRun run;
  std::map<std::string, std::string, std::less<>> all = {{"HOME", std::string(k_home)}};
  all.insert(variables.begin(), variables.end());
  run.environment = Environment(std::move(all));
  run.unique_id = "submission-1";
  run.files.files[cat(k_home, "/.kube/config")] = k_kubeconfig;
  for (const char* name : worlds_for(args)) {
    auto exchanges = read_world(name);
    REQUIRE(exchanges);
    run.exchanges.insert(run.exchanges.end(), exchanges->begin(), exchanges->end());
  }
  if (set_up) set_up(run.console);
  run.loop.raise_after(std::chrono::minutes(1), SIGINT);
  CAPTURE(join(args, " "));
  run(args);
  CHECK((run.console.stdout_text + run.console.stderr_text).find("pwn") != std::string::npos);
  return {run.console.stdout_text, run.console.stderr_text};
}

// Every way to make a command repeat what it was told.
const std::vector<Args>& repeating_commands() {
  static const std::vector<Args> commands = {
      {"logs", "ddp"},
      {"logs", "ddp", "--all", "-o", "json"},
      {"logs", "-f", "ddp", "--events"},
      {"wait", "ddp"},
      {"wait", "ddp", "-o", "json"},
      {"submit-pytorch", "--name", "ddp", "-i", "x", "--if-exists=skip", "--wait"},
      {"submit-pytorch", "--name", "ddp", "-i", "x", "--if-exists=skip", "--follow", "--events"},
      {"get", "ddp", "-o", "wide"},
      {"get", "ddp", "-o", "json"},
      {"get", "ddp", "-o", "yaml"},
      {"get", "ddp", "-o", "manifest"},
      {"get", "ddp", "-o", "jsonpath={.message}{\"\\n\"}{.replicas[*].message}"},
      {"get", "ddp", "-o", "custom-columns=M:.replicas[*].message"},
      {"get", "ddp", "-w", "-o", "json"},
      {"get", "ddp", "-w", "-o", "yaml"},
      {"describe", "ddp"},
      {"describe", "ddp", "-o", "json"},
      {"events", "ddp"},
      {"events", "ddp", "-o", "json"},
      {"events", "ddp", "-w", "-o", "json"},
      {"why", "ddp"},
      {"why", "ddp", "-o", "json"},
      {"report", "ddp", "-o", "-"},
      {"doctor", "ddp"},
      {"doctor", "ddp", "-o", "json"},
      {"doctor", "ddp", "-o", "yaml"},
      {"doctor", "ddp/worker-0"},
      {"env", "ddp"},
      {"env", "ddp", "-o", "json"},
      {"whoami"},
      {"whoami", "-o", "yaml"}};
  return commands;
}

Args with(Args args, const std::string& flag) {
  args.push_back(flag);
  return args;
}

// The first line that GitHub's runner would obey, other than trainctl's own.
std::string github_command(const std::string& text) {
  std::string lines = text;
  for (char& c : lines) {
    if (c == '\r') c = '\n';
  }
  for (const std::string& line : split(lines, '\n')) {
    const std::string_view begin = trim(line);
    const bool own = line.starts_with("::group::") || line.starts_with("::endgroup::") ||
                     line.starts_with("::error title=");
    if (begin.starts_with("::") && !own) return line;
    if (line.find("##[") != std::string::npos) return line;
  }
  return "";
}

// The first line that Azure's agent would obey, or show as something else than text.
std::string azure_command(const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    if (line.find("##vso[") != std::string::npos || line.find("##[") != std::string::npos) {
      return line;
    }
  }
  return "";
}

std::string gitlab_section(const std::string& text) {
  for (const char* mark : {"section_start:", "section_end:"}) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const std::string rest = text.substr(at, text.find('\r', at) - at);
      const bool is_mark = rest.size() < text.size() - at && rest.find('\n') == std::string::npos;
      if (is_mark && !rest.ends_with(":trainctl_ddp")) return rest;
    }
  }
  return "";
}

TEST_CASE("GitHub finds no command in what a job or a server says, by its variable or by --ci") {
  for (const Args& command : repeating_commands()) {
    CHECK(github_command(run(command, {{"GITHUB_ACTIONS", "true"}}).all()) == "");
    CHECK(github_command(run(with(command, "--ci=github")).all()) == "");
    CHECK(github_command(run(with(command, "--ci=none"), {{"GITHUB_ACTIONS", "true"}}).all()) ==
          "");
  }
}

TEST_CASE("Azure's agent finds no command in what a job or a server says, whatever --ci names") {
  for (const Args& command : repeating_commands()) {
    CHECK(azure_command(run(command, {{"TF_BUILD", "True"}}).all()) == "");
    CHECK(azure_command(run(with(command, "--ci=plain")).all()) == "");
    CHECK(azure_command(run(with(command, "--ci=none"), {{"TF_BUILD", "True"}}).all()) == "");
  }
}

TEST_CASE("GitLab folds no section that a job or a server begins") {
  for (const Args& command : repeating_commands()) {
    CHECK(gitlab_section(run(command, {{"GITLAB_CI", "true"}}).all()) == "");
    CHECK(gitlab_section(run(with(command, "--ci=gitlab")).all()) == "");
  }
}

TEST_CASE("no command lets a job or a server drive the terminal") {
  const auto terminal = [](BufferConsole& console) {
    console.out_is_tty = console.err_is_tty = true;
  };
  for (const Args& command : repeating_commands()) {
    const Output output = run(command, {}, terminal);
    CHECK(terminal_safe(output.out) == output.out);
    CHECK(terminal_safe(output.err) == output.err);
  }
}

TEST_CASE("a file gets the same in a CI system as elsewhere") {
  const auto file = [](BufferConsole& console) { console.out_is_file = true; };
  for (const Args& command : repeating_commands()) {
    const std::string plain = run(command, {}, file).out;
    CHECK(run(command, {{"GITHUB_ACTIONS", "true"}}, file).out == plain);
    CHECK(run(command, {{"GITLAB_CI", "true"}}, file).out == plain);
  }
}

TEST_CASE("data in a CI system's log is escaped, and its value stays what it is") {
  for (const Args& command :
       {Args{"get", "ddp", "-w", "-o", "json"}, Args{"events", "ddp", "-o", "json"},
        Args{"events", "ddp", "-w", "-o", "json"}}) {
    const auto plain = split(run(command).out, '\n');
    for (const char* variable : {"GITHUB_ACTIONS", "TF_BUILD"}) {
      const auto escaped = split(run(command, {{variable, "true"}}).out, '\n');
      REQUIRE(plain.size() == escaped.size());
      for (std::size_t i = 0; i + 1 < plain.size(); ++i) {
        CHECK(*parse_json(plain[i], "record") == *parse_json(escaped[i], "record"));
      }
    }
  }
}

}  // namespace hostile_words_test
}  // namespace trainctl::testing
