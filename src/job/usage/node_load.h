// Sums up what the nodes of a cluster offer, what pods request of them, and how much is used. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/usage/usage.h"

namespace trainctl::job {

enum class NodeHealth { ready, not_ready, unknown };

struct NodeLoad {
  std::string name;
  NodeHealth health = NodeHealth::unknown;
  bool cordoned = false;
  std::optional<Resources> allocatable;  // nullopt: the user may not list nodes
  std::optional<Resources> requested;    // nullopt: the user may not list all pods
  Usage used;
};

// A list that the user may not read is null; then the nodes are those that the others name. Nodes
// that are not ready come first, then cordoned ones, then the rest by name.
std::vector<NodeLoad> loads_of_nodes(const std::vector<Json>* nodes, const std::vector<Json>* pods,
                                     const std::vector<Json>& metrics);

}  // namespace trainctl::job
