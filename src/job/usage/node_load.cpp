// Counts a pod on its node from the moment it is placed until it ends, as the scheduler does.
#include "job/usage/node_load.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "kube/object/conditions.h"

namespace trainctl::job {
namespace {

using NodesByName = std::map<std::string, NodeLoad>;

NodeHealth health_of(const Json& node) {
  const bool is_ready = kube::true_condition(node, "Ready") != nullptr;
  return is_ready ? NodeHealth::ready : NodeHealth::not_ready;
}

NodesByName named_nodes(const std::vector<Json>& nodes) {
  NodesByName all;
  for (const Json& node : nodes) {
    NodeLoad& load = all[text_at(node, "/metadata/name")];
    load.health = health_of(node);
    load.cordoned = true_at(node, "/spec/unschedulable");
    load.allocatable = resources_of(amounts_of(object_at(node, "/status/allocatable")));
  }
  return all;
}

// The node of that name; null when the list of nodes is known and has no such node.
NodeLoad* node_called(NodesByName& nodes, const std::string& name, bool lists_nodes) {
  const auto found = nodes.find(name);
  if (found != nodes.end()) return &found->second;
  return lists_nodes || name.empty() ? nullptr : &nodes[name];
}

auto rank(const NodeLoad& node) {
  return std::tuple(node.health != NodeHealth::not_ready, !node.cordoned);
}

}  // namespace

std::vector<NodeLoad> loads_of_nodes(const std::vector<Json>* nodes, const std::vector<Json>* pods,
                                     const std::vector<Json>& metrics) {
  const bool lists_nodes = nodes != nullptr;
  NodesByName all = lists_nodes ? named_nodes(*nodes) : NodesByName{};
  for (const Json& each : metrics) {
    NodeLoad* node = node_called(all, text_at(each, "/metadata/name"), lists_nodes);
    if (node != nullptr) node->used = usage_of(object_at(each, "/usage"));
  }
  if (pods != nullptr) {
    std::map<const NodeLoad*, Resources> requested;
    for (const Json& pod : *pods) {
      NodeLoad* node = node_called(all, text_at(pod, "/spec/nodeName"), lists_nodes);
      if (node != nullptr) add_resources(requested[node], load_of_pod(pod, nullptr).requested);
    }
    for (auto& [name, node] : all) node.requested = requested[&node];
  }
  std::vector<NodeLoad> loads;
  for (auto& [name, node] : all) {
    node.name = name;
    loads.push_back(std::move(node));
  }
  std::ranges::stable_sort(loads, {}, rank);
  return loads;
}

}  // namespace trainctl::job
