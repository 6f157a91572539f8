// What a judgement of jobs needs beside them, as collections of their namespace.
#pragma once

#include <string>
#include <string_view>

#include "kube/watch.h"

namespace trainctl::job {

struct SurroundingTargets {
  kube::WatchTarget pods;
  kube::WatchTarget warnings;
  // Events with the exit codes of containers: they outlast the pods, and are no warnings.
  kube::WatchTarget exits;
};
// Of the jobs of that name, or of all when it is ""; empty ns = all namespaces.
SurroundingTargets surrounding_targets(const std::string& ns, std::string_view job_name);

}  // namespace trainctl::job
