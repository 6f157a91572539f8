// Converts a launcher, which starts the user's program on the nodes of a TrainJob.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/trainer/conversion.h"
#include "job/trainer/nodes.h"
#include "job/trainer/pod_split.h"

namespace trainctl::job {

// The launcher's way to reach the nodes.
struct Ssh {
  PodSplit workers;            // the nodes
  std::int64_t processes = 1;  // of each node
  std::string key_path = "/root/.ssh";
};

// Takes what the job says of mpirun out of it.
Ssh take_ssh(const Kind& kind, const Nodes& nodes, const PatchRules& rules, Json& job);

// With a runtime that there is already: a patch does not reach all that its nodes are. Their image
// is the runtime's, and the variables of sshd are not those of what it starts.
void lose_workers(const Nodes& nodes, const PodSplit& workers, std::vector<Loss>& losses);

// With a runtime of the job's own: the operator of v1 needs neither sshd nor another user.
void lose_root(const Nodes& nodes, const Ssh& ssh, std::vector<Loss>& losses);

}  // namespace trainctl::job
