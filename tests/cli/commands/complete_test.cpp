// TAB: what a shell waits for must neither hang nor take the keyboard.
#include <doctest/doctest.h>

#include "cli/run_command.h"

namespace trainctl::testing {
namespace complete_test {

constexpr const char* k_kubeconfig = R"({apiVersion: v1, kind: Config, current-context: c,
  clusters: [{name: c, cluster: {server: "https://cluster.test"}}],
  contexts: [{name: c, context: {cluster: c, user: u}}],
  users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1,
                                  command: corp-login, interactiveMode: IfAvailable}}}]})";

TEST_CASE("TAB does not wait for a credential plugin that hangs, nor lets it ask") {
  CommandRun run;
  run.files.files["/home/ada/.kube/config"] = k_kubeconfig;
  const std::map<std::string, std::string, std::less<>> variables = {{"HOME", "/home/ada"}};
  run.environment = Environment(variables);
  run.console.in_is_tty = true;
  FakeLoop::ScriptedChild plugin;
  plugin.program = "corp-login";
  plugin.takes = std::chrono::hours(1);
  run.loop.children = {plugin};
  const Time begin = run.loop.now();
  CHECK(run({"__complete", "--", "logs", "d"}) == 0);
  CHECK(run.console.stdout_text == ":\n");
  CHECK(run.loop.now() - begin <= std::chrono::seconds(2));
  REQUIRE(run.loop.spawned.size() == 1);
  CHECK_FALSE(run.loop.spawned[0].inherit_stdin);
}

}  // namespace complete_test
}  // namespace trainctl::testing
