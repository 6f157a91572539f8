// `top` would blame a job for the lies of a metrics API, count pods that take nothing, or overflow.
#include "status/usage.h"

#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "support/objects.h"

namespace trainctl::testing {

namespace usage_test {

using job::Load;
using job::Resources;
using job::Usage;

constexpr std::int64_t k_gibi = std::int64_t{1} << 30U;

Json pod(std::string_view resources, std::string_view phase = "Running") {
  return yaml(
      cat("metadata: {name: p, namespace: ml, uid: uid-p, creationTimestamp: "
          "\"2026-01-02T03:00:00Z\"}\n",
          "spec: {containers: [{name: main, resources: ", resources,
          "}, {name: side}]}\nstatus: {phase: ", phase, "}\n"));
}

Json metrics(std::string_view containers, std::string_view time = "2026-01-02T03:04:00Z") {
  return yaml(cat("metadata: {name: p, namespace: ml}\ntimestamp: \"", time,
                  "\"\ncontainers: ", containers, "\n"));
}

TEST_CASE("GPUs of every kind count together, and a limit is a request") {
  struct Row {
    std::string resources;
    Resources requested;
  };
  const Row rows[] = {
      {"{}", {}},
      {"{requests: {cpu: 500m, memory: 1Gi}}", {0, 500, k_gibi}},
      {"{limits: {nvidia.com/gpu: 2, amd.com/gpu: \"1\", nvidia.com/mig-1g.5gb: 3}}", {6, 0, 0}},
      {"{limits: {cpu: 4}, requests: {cpu: 2}}", {0, 2000, 0}},
      {"{requests: {cpu: -4, memory: lots}}", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.resources);
    CHECK(job::load_of_pod(pod(row.resources), nullptr).requested == row.requested);
    CHECK(job::load_of_pod(pod(row.resources, "Succeeded"), nullptr).requested == Resources{});
    CHECK(job::load_of_pod(pod(row.resources, "Failed"), nullptr).requested == Resources{});
  }
}

TEST_CASE("usage that cannot be true is left out") {
  struct Row {
    std::string containers;
    Usage usage;
  };
  const Row rows[] = {
      {"[]", {}},
      {"[{name: main, usage: {cpu: 250m, memory: 1Gi}}]", {250, k_gibi}},
      {"[{name: main, usage: {cpu: 1234567n, memory: 1048576Ki}}]", {2, k_gibi}},
      {"[{name: main, usage: {cpu: 1}}, {name: side, usage: {cpu: 2}}]", {3000, std::nullopt}},
      {"[{name: main, usage: {cpu: 1}}, {name: main, usage: {cpu: 1}}]", {1000, std::nullopt}},
      {"[{name: stranger, usage: {cpu: 1, memory: 1Gi}}]", {}},
      {"[{name: main, usage: {cpu: -1, memory: 1Gi}}]", {std::nullopt, k_gibi}},
      {"[{name: main, usage: {cpu: many, memory: 1Gi}}]", {std::nullopt, k_gibi}},
      {"[{name: main, usage: {cpu: 1, memory: 1000000000000000000}}]", {1000, std::nullopt}},
      {"[{name: main, usage: {cpu: 1, memory: 9E}}]", {1000, std::nullopt}},
      {"[{name: main, usage: {cpu: 1e30, memory: 1e30}}]", {}},
      {"[{name: main, usage: {cpu: 1}}, {name: side, usage: {cpu: -1}}]", {}},
      {"[{name: main, usage: [1]}, 7, null]", {}},
      {"{main: 1}", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.containers);
    const Json measured = metrics(row.containers);
    CHECK(job::usage_of_pod(pod("{}"), &measured) == row.usage);
  }
}

TEST_CASE("metrics of an earlier pod of the same name are not the pod's") {
  const Json earlier =
      metrics("[{name: main, usage: {cpu: 1, memory: 1Gi}}]", "2026-01-02T02:59:59Z");
  CHECK(job::usage_of_pod(pod("{}"), &earlier) == Usage{});
}

TEST_CASE("sums saturate, whatever the server says") {
  constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
  Resources sum{k_most, k_most, k_most};
  job::add_resources(sum, {1, 1, 1});
  CHECK(sum == Resources{k_most, k_most, k_most});
  const Json both = yaml(
      "spec: {containers: [{name: a, resources: {requests: {cpu: 9E}}}, "
      "{name: b, resources: {requests: {cpu: 9E}}}]}");
  CHECK(job::load_of_pod(both, nullptr).requested.cpu == k_most);
}

TEST_CASE("a job asks for what runs with its program, and not for what ended before it") {
  const Json worker = yaml(
      "spec: {containers: [{name: main}], initContainers: ["
      "{name: wait, resources: {requests: {cpu: 50m}}}, "
      "{name: proxy, restartPolicy: Always, resources: {requests: {cpu: 20m}}}]}");
  CHECK(job::load_of_pod(worker, nullptr).requested.cpu == 20);
}

TEST_CASE("the share counts measured pods alone, and CPU before memory") {
  const auto share = [](std::string_view resources, std::string_view usage) {
    const Json measured = metrics(cat("[{name: main, usage: ", usage, "}]"));
    Load load = job::load_of_pod(pod(resources), &measured);
    job::add_load(load, job::load_of_pod(pod(resources), nullptr));
    return load.share();
  };
  CHECK(share("{requests: {cpu: 2, memory: 4Gi}}", "{cpu: 1, memory: 1Gi}") == 0.5);
  CHECK(share("{requests: {memory: 4Gi}}", "{cpu: 1, memory: 1Gi}") == 0.25);
  CHECK(share("{}", "{cpu: 1, memory: 1Gi}") == std::nullopt);
  CHECK(share("{requests: {cpu: 2}}", "{}") == std::nullopt);
}

TEST_CASE("pods have metrics by name and namespace, and replicas loads by the uids of their pods") {
  std::vector<Json> measured = {metrics("[{name: main, usage: {cpu: 1}}]")};
  measured.push_back(measured.front());
  measured.back()["metadata"]["namespace"] = "other";
  const job::PodLoads loads = job::loads_of_pods({pod("{requests: {cpu: 2}}")}, measured);
  job::JobState state;
  state.replicas.resize(2);
  state.replicas[0].pod.uid = "uid-p";
  const Load load = job::load_of_job(state, loads);
  CHECK(load.requested.cpu == 2000);
  CHECK(load.used.cpu == 1000);
  CHECK(load.measured_pods == 1);
}

}  // namespace usage_test

// `top -w` has room for few jobs: those in trouble would be among the others.
namespace usage_test {

using job::JobState;
using job::Load;
using job::Phase;
using job::ReplicaState;
using job::RunState;

Load using_half() {
  Load load;
  load.used.cpu = 500;
  load.measured.cpu = 1000;
  return load;
}

TEST_CASE("jobs are in the order in which they need a look") {
  struct Row {
    Phase phase;
    bool is_blocked;
    Load load;
  };
  const std::vector<Row> rows = {
      {Phase::pending, false, {}},  {Phase::restarting, false, {}},
      {Phase::starting, false, {}}, {Phase::running, false, using_half()},
      {Phase::running, false, {}},  {Phase::suspended, false, {}},
      {Phase::failed, false, {}},   {Phase::succeeded, false, {}},
  };
  const auto rank = [](const Row& row) {
    JobState state;
    state.phase = row.phase;
    if (row.is_blocked) state.blocker.emplace();
    return job::trouble_rank(state, row.load);
  };
  for (std::size_t at = 1; at < rows.size(); ++at) {
    CAPTURE(at);
    CHECK(rank(rows[at - 1]) < rank(rows[at]));
  }
  CHECK(rank({Phase::running, true, {}}) == rank({Phase::submitted, false, {}}));
  CHECK(rank({Phase::queued, false, {}}) == rank({Phase::pending, false, {}}));
  JobState running;
  running.phase = Phase::running;
  CHECK(job::trouble_rank(running, {}, true) < job::trouble_rank(running, using_half()));
  CHECK(rank({Phase::starting, false, {}}) < job::trouble_rank(running, {}, true));
}

TEST_CASE("replicas are in the order in which they need a look") {
  const auto rank = [](RunState state, int restarts = 0) {
    ReplicaState replica;
    replica.run.state = state;
    replica.run.restarts = restarts;
    return job::trouble_rank(replica, using_half());
  };
  CHECK(rank(RunState::failed) < rank(RunState::missing));
  CHECK(rank(RunState::missing) == rank(RunState::pending));
  CHECK(rank(RunState::pending) < rank(RunState::waiting, 3));
  CHECK(rank(RunState::waiting, 3) < rank(RunState::waiting));
  CHECK(rank(RunState::waiting) < rank(RunState::running));
  CHECK(rank(RunState::running) < rank(RunState::terminating));
  CHECK(rank(RunState::terminating) < rank(RunState::succeeded));
}

}  // namespace usage_test

// `top --nodes` would count a pod twice, or hide a node that is in trouble.
namespace usage_test {

using job::NodeHealth;
using job::NodeLoad;

Json node(std::string_view name, std::string_view ready, std::string_view spec = "{}") {
  return yaml(cat("metadata: {name: ", name, "}\nspec: ", spec,
                  "\nstatus: {allocatable: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}, conditions: "
                  "[{type: Ready, status: \"",
                  ready, "\"}]}\n"));
}

Json node_pod(std::string_view node, std::string_view phase) {
  return yaml(cat("spec: {nodeName: ", node,
                  ", containers: [{resources: {limits: {cpu: 1, nvidia.com/gpu: 1}}}]}\n",
                  "status: {phase: ", phase, "}\n"));
}

Json node_metrics(std::string_view name, std::string_view cpu) {
  return yaml(cat("metadata: {name: ", name, "}\nusage: {cpu: ", cpu, "}\n"));
}

std::string names(const std::vector<NodeLoad>& nodes) {
  std::vector<std::string> all;
  for (const NodeLoad& each : nodes) all.push_back(each.name);
  return join(all, " ");
}

TEST_CASE("pods count on their node until they end") {
  const std::vector<Json> nodes = {node("a", "True"), node("b", "True")};
  const std::vector<Json> pods = {node_pod("a", "Running"), node_pod("a", "Pending"),
                                  node_pod("a", "Succeeded"), node_pod("gone", "Running"),
                                  node_pod("\"\"", "Pending")};
  const auto loads =
      job::loads_of_nodes(&nodes, &pods, {node_metrics("a", "1500m"), node_metrics("ghost", "1")});
  REQUIRE(names(loads) == "a b");
  CHECK(loads[0].requested->gpus == 2);
  CHECK(loads[0].requested->cpu == 2000);
  CHECK(loads[0].allocatable->gpus == 4);
  CHECK(loads[0].used.cpu == 1500);
  CHECK(loads[1].requested == job::Resources{});
  CHECK_FALSE(loads[1].used.cpu);
}

TEST_CASE("nodes in trouble come first") {
  const std::vector<Json> nodes = {node("a", "True"), node("b", "True", "{unschedulable: true}"),
                                   node("c", "False"), node("d", "Unknown"),
                                   yaml("metadata: {name: e}")};
  const auto loads = job::loads_of_nodes(&nodes, nullptr, {});
  CHECK(names(loads) == "c d e b a");
  CHECK(loads[3].cordoned);
  CHECK_FALSE(loads[3].requested);
}

TEST_CASE("without the list of nodes, pods and metrics name them") {
  const std::vector<Json> pods = {node_pod("b", "Running"), node_pod("\"\"", "Pending")};
  const auto loads = job::loads_of_nodes(nullptr, &pods, {node_metrics("a", "1")});
  REQUIRE(names(loads) == "a b");
  CHECK(loads[0].health == NodeHealth::unknown);
  CHECK_FALSE(loads[0].allocatable);
  CHECK(loads[1].requested->gpus == 1);
}

}  // namespace usage_test

}  // namespace trainctl::testing
