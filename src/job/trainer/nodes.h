// Turns the roles of a v1 job into one pod template and a count: all nodes of a TrainJob share one
// template. A launcher keeps its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/trainer/conversion.h"

namespace trainctl::job {

// An entry of the replica map, and where it stands in the job.
struct NodeTemplate {
  Json replica;
  std::string pointer;
  std::string restart_policy;
};

struct Nodes {
  std::int64_t count = 0;
  NodeTemplate alike;                    // all nodes are made like it
  std::optional<NodeTemplate> launcher;  // runs the program, which reaches the nodes

  // Returns the template of the pods that run the user's program.
  const NodeTemplate& program() const { return launcher ? *launcher : alike; }
};

// The nodes are made like the workers. Each difference of another role is a loss, and so is each
// role without a rank.
Nodes unite_roles(const Kind& kind, const Json& job, std::vector<Loss>& losses);

}  // namespace trainctl::job
