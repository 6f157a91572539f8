// Converts a launcher, which starts the user's program on the nodes of a TrainJob.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "trainer/conversion.h"
#include "trainer/framework.h"
#include "trainer/pod_split.h"

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

// The environment of a TrainJob's programs: the variables that they know from the v1 operator, and
// the user's.
struct VariablesInput {
  const Kind& kind;
  const Framework& framework;
  const World& world;
  const Json& job;  // of v1
  const Nodes& nodes;
};

// The user's variables that Trainer sets itself, and refuses in a TrainJob, are losses.
std::vector<Json> variables_of(const VariablesInput& input, std::vector<Loss>& losses);

}  // namespace trainctl::job
