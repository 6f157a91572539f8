// Finds nodes that swallow pods: each pod that they get is refused, or never starts. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/value/json.h"

namespace trainctl::job {

struct RefusingNode {
  std::string name;
  int pods = 0;
  std::string reason;  // of most of these pods: "UnexpectedAdmissionError"

  // "node gpu-7 has refused 5 pods (UnexpectedAdmissionError)"
  std::string words() const;
  // The same, with the flag that avoids the node.
  std::string advice() const;
};

// The nodes that refused three pods or more, the worst first. `events`: those of a namespace, which
// name the node. A pod that cannot start counts only where pods of other nodes started and none of
// them has that reason, since a missing secret is no node's fault. `pods` may hold some of the
// namespace, which outlast their events.
std::vector<RefusingNode> refusing_nodes(std::span<const Json> events, std::span<const Json> pods);

}  // namespace trainctl::job
