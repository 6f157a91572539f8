// Lists the collections of a namespace that a judgement of its jobs needs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "job/kind/kind.h"
#include "kube/watch/watch.h"

namespace trainctl::job {

struct SurroundingTargets {
  std::vector<kube::WatchTarget> pods;  // one for each label that names jobs of the kinds
  kube::WatchTarget warnings;
  // Events with the exit codes of containers: they outlast the pods, and are not warnings.
  kube::WatchTarget exits;
};
// Returns the collections for jobs of these kinds; empty ns = all namespaces.
SurroundingTargets surrounding_targets(const std::string& ns, std::span<const Kind* const> kinds);

}  // namespace trainctl::job
