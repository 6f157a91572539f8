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

// Removes the job's settings for mpirun, and returns them.
Ssh take_ssh(const Kind& kind, const Nodes& nodes, const PatchRules& rules, Json& job);

// The losses with an existing runtime, of which a patch cannot change everything: its nodes keep
// the runtime's image, and the programs that sshd starts do not get sshd's variables.
void lose_workers(const Nodes& nodes, const PodSplit& workers, std::vector<Loss>& losses);

// The loss with a runtime of the job's own: it needs an sshd that runs as another user than root.
void lose_root(const Nodes& nodes, const Ssh& ssh, std::vector<Loss>& losses);

}  // namespace trainctl::job
