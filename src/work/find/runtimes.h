// The runtimes of Kubeflow Trainer v2 that a namespace can use: those of its own and those of the
// whole cluster.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "trainer/own_runtime.h"
#include "work/access.h"

namespace trainctl::work {

struct Runtimes {
  std::vector<Json> objects;          // the namespace's own first, each group by name
  std::vector<std::string> unlisted;  // plurals of those that the user may not list
};

// Code::not_found when the cluster has no Trainer; an error as well when nothing could be listed.
Result<Runtimes> list_runtimes(Access& access, const std::string& ns);

// A runtime as a user names it: NAME, or with its kind as kubectl's TYPE/NAME. Code::usage for
// another kind.
struct RuntimeName {
  std::string kind;  // "" = the namespace's own, else the cluster's
  std::string name;
};
Result<RuntimeName> parse_runtime_name(const std::string& text);

// Returns the runtime of that name for a job of this kind. Code::not_found, with the runtimes that
// fit, when it does not exist; Code::usage for a runtime of another framework. A runtime that the
// user may not read is taken to fit.
Result<job::NamedRuntime> find_runtime(Access& access, const std::string& ns,
                                       const RuntimeName& wanted, const job::Kind& kind);

// The only runtime, of the namespace or the cluster, whose label names such a job's framework.
// Code::usage when there are none or several.
Result<job::NamedRuntime> only_runtime(Access& access, const std::string& ns,
                                       const job::Kind& kind);

// A hint that lists the runtimes that fit: "those for a PyTorchJob: a, b"; if none fits, the hint
// says what to do.
std::string runtimes_for(Access& access, const std::string& ns, const job::Kind& kind);

}  // namespace trainctl::work
