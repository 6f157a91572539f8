// `top --nodes` would count a pod twice, or hide a node that is in trouble.
#include <doctest/doctest.h>

#include "job/objects.h"
#include "job/usage/usage.h"

namespace trainctl::testing {
namespace TEST_FILE {

using job::NodeHealth;
using job::NodeLoad;

Json node(std::string_view name, std::string_view ready, std::string_view spec = "{}") {
  return yaml(cat("metadata: {name: ", name, "}\nspec: ", spec,
                  "\nstatus: {allocatable: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}, conditions: "
                  "[{type: Ready, status: \"",
                  ready, "\"}]}\n"));
}

Json pod(std::string_view node, std::string_view phase) {
  return yaml(cat("spec: {nodeName: ", node,
                  ", containers: [{resources: {limits: {cpu: 1, nvidia.com/gpu: 1}}}]}\n",
                  "status: {phase: ", phase, "}\n"));
}

Json metrics(std::string_view name, std::string_view cpu) {
  return yaml(cat("metadata: {name: ", name, "}\nusage: {cpu: ", cpu, "}\n"));
}

std::string names(const std::vector<NodeLoad>& nodes) {
  std::vector<std::string> all;
  for (const NodeLoad& each : nodes) all.push_back(each.name);
  return join(all, " ");
}

TEST_CASE("pods count on their node until they end") {
  const std::vector<Json> nodes = {node("a", "True"), node("b", "True")};
  const std::vector<Json> pods = {pod("a", "Running"), pod("a", "Pending"), pod("a", "Succeeded"),
                                  pod("gone", "Running"), pod("\"\"", "Pending")};
  const auto loads =
      job::loads_of_nodes(&nodes, &pods, {metrics("a", "1500m"), metrics("ghost", "1")});
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
  const std::vector<Json> pods = {pod("b", "Running"), pod("\"\"", "Pending")};
  const auto loads = job::loads_of_nodes(nullptr, &pods, {metrics("a", "1")});
  REQUIRE(names(loads) == "a b");
  CHECK(loads[0].health == NodeHealth::unknown);
  CHECK_FALSE(loads[0].allocatable);
  CHECK(loads[1].requested->gpus == 1);
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
