// Makes one pod template, and a count, of the roles of a v1 job: the nodes of a TrainJob are alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "job/kind/kind.h"
#include "job/trainer/conversion.h"

namespace trainctl::job {

struct Nodes {
  std::int64_t count = 0;
  Json replica;         // the entry of the replica map that all nodes are made like
  std::string pointer;  // where that entry stands in the job
};

// The nodes are made like the workers. What the other roles say differently is a loss, and so is
// each role without a rank.
Nodes unite_roles(const Kind& kind, const Json& job, std::vector<Loss>& losses);

}  // namespace trainctl::job
