// The number of a script's nodes, and what each of them has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "slurm/script.h"

namespace trainctl::slurm {

// The share of one node, and so of one replica. Zero: the script does not say.
struct Node {
  long nodes = 1, tasks = 1, gpus = 0, cpus = 0, memory = 0;
  long all_tasks = 1;  // of the job
};

// Takes the sizes of the directives. `typed_nodes` counts instead of theirs. Adds to `warnings`
// where Slurm gives another number of nodes than the script asks for. Code::usage for a value that
// is no number, and for GPUs that the nodes cannot share.
Result<Node> node_of(const Script& script, std::optional<long> typed_nodes,
                     std::vector<std::string>& warnings);

}  // namespace trainctl::slurm
