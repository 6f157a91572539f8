// A reader sees what changed between two runs, and not where a manifest keeps it.
#include "history/run_comparison.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/yaml.h"

namespace trainctl::testing {

namespace run_comparison_test {

Json pod(const std::string& container) {
  return {{"template", {{"spec", {{"containers", Json::array({*from_yaml(container, "c")})}}}}}};
}

work::PastRun run_of(const std::string& master, const std::string& worker) {
  work::PastRun run;
  run.name = "ddp";
  run.manifest = {{"apiVersion", "kubeflow.org/v1"}, {"kind", "PyTorchJob"}};
  Json& roles = run.manifest["spec"]["pytorchReplicaSpecs"];
  roles["Master"] = pod(master);
  if (!worker.empty()) roles["Worker"] = pod(worker);
  return run;
}

std::string lines(const work::PastRun& a, const work::PastRun& b) {
  std::string text;
  for (const auto& line : view::difference_lines(a, b, work::differences(a.manifest, b.manifest))) {
    text += cat(line.label, ' ', line.a, " -> ", line.b, '\n');
  }
  return text;
}

std::string of_args(const std::string& a, const std::string& b) {
  return lines(run_of(cat("{name: pytorch, args: ", a, "}"), ""),
               run_of(cat("{name: pytorch, args: ", b, "}"), ""));
}

TEST_CASE("a role or a field that one run lacks is told in words, and not as JSON") {
  const std::string small = "{name: pytorch}";
  const std::string asks = "{name: pytorch, resources: {requests: {memory: 1Gi, cpu: 2}}}";
  CHECK(lines(run_of(small, ""), run_of(asks, small)) ==
        "master resources.requests.memory:  -> 1Gi\nmaster resources.requests.cpu:  -> 2\n"
        "worker replicas:  -> 1\n");
  CHECK(lines(run_of(small, small), run_of(small, "")) == "worker replicas: 1 -> \n");
}

TEST_CASE("words of a program differ flag by flag") {
  CHECK(of_args("[--lr, '1e-3', --seed, '1']", "[--lr, '3e-2', --seed, '1']") ==
        "args: --lr 1e-3 -> 3e-2\n");
  CHECK(of_args("[--lr=1e-3]", "[--lr=3e-2, --amp]") ==
        "args: --lr 1e-3 -> 3e-2\nargs:  -> --amp\n");
  CHECK(of_args("[--shift, '-1']", "[--shift, '-2']") == "args: --shift -1 -> -2\n");
  CHECK(of_args("[a.py, --lr, '1']", "[b.py, --lr, '1']") == "args: a.py -> b.py\n");
  CHECK(of_args("[--a, --b]", "[--b, --a]") == "args: --a --b -> --b --a\n");
}

TEST_CASE("a difference that all roles share is one line, others name their role") {
  const std::string one = "{name: pytorch, image: 'ddp:1'}";
  const std::string two = "{name: pytorch, image: 'ddp:2'}";
  CHECK(lines(run_of(one, one), run_of(two, two)) == "image: ddp:1 -> ddp:2\n");
  CHECK(lines(run_of(one, one), run_of(one, two)) == "worker image: ddp:1 -> ddp:2\n");
}

TEST_CASE("values that no user has changed are no difference") {
  work::PastRun again = run_of("{name: pytorch}", "");
  again.manifest["spec"]["runPolicy"]["suspend"] = false;
  again.manifest["metadata"]["annotations"] = {{"trainctl/rerun-of-uid", "uid-1"}};
  work::PastRun first = run_of("{name: pytorch}", "");
  first.manifest["metadata"]["annotations"] = Json::object();
  first.manifest["spec"]["runPolicy"] = Json::object();
  CHECK(lines(first, again).empty());
  again.manifest["spec"]["runPolicy"]["suspend"] = true;
  CHECK_FALSE(lines(first, again).empty());
}

TEST_CASE("a metric that was read before the run's end says so beside its best value, too") {
  work::Difference loss{"metrics.loss", "2.4 (best 2.1 at 20), when last read", "0.3"};
  const auto all =
      view::difference_lines(run_of("{name: pytorch}", ""), run_of("{name: pytorch}", ""), {loss});
  REQUIRE(all.size() == 1);
  CHECK(all[0].a == "2.4, when last read");
}

TEST_CASE("variables and other containers are named by themselves") {
  CHECK(lines(run_of("{name: pytorch, env: [{name: SEED, value: '1'}]}", ""),
              run_of("{name: pytorch, env: [{name: SEED, value: '2'}]}", "")) ==
        "env SEED: 1 -> 2\n");
  CHECK(lines(run_of("{name: sync, image: 'a'}", ""), run_of("{name: sync, image: 'b'}", "")) ==
        "sync image: a -> b\n");
}

}  // namespace run_comparison_test

}  // namespace trainctl::testing
