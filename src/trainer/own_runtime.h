// Makes a TrainingRuntime for a job with fields that only a runtime can have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "kube/client/resource.h"
#include "manifest/companions.h"
#include "manifest/kind/kind.h"
#include "trainer/conversion.h"
#include "trainer/framework.h"
#include "trainer/launcher.h"
#include "trainer/pod_split.h"

namespace trainctl::job {

// Reads what a TrainingRuntime or ClusterTrainingRuntime offers. Pure.
struct RuntimeFacts {
  std::string kind, name;
  std::string ns;         // "" = of the whole cluster
  std::string framework;  // "torch", …; "" = it says none
  std::optional<std::int64_t> nodes;
  std::vector<std::string> steps;  // its replicated jobs, in their order
  std::string job = "node";        // the one that runs the user's program
  std::string image;               // of that program; "" = a job has to say
  std::string command;             // what runs when a job says nothing; "" = the image's own
  bool has_arguments = false;
  std::int64_t gpus = 0;  // of each node
  bool deprecated = false;

  // True when a launcher starts the program on the nodes with mpirun.
  bool has_launcher() const { return job == "launcher"; }
  NamedRuntime named() const { return {kind, name, job, has_arguments}; }
};

RuntimeFacts runtime_facts(const Json& runtime);

// True for a runtime that a job of this kind can name: one of its framework, or of none.
bool fits(const RuntimeFacts& runtime, const Kind& kind);

// Rules for the end of a replica and of the job. The defaults are those of Trainer's bundled
// runtimes: the Job controller's OnFailure with six retries, and no clean-up.
struct Lifecycle {
  std::string restart_policy = "OnFailure";  // or "Never"
  std::int64_t backoff_limit = 6;
  std::optional<std::int64_t> ttl;  // seconds

  bool is_default() const { return restart_policy == "OnFailure" && backoff_limit == 6 && !ttl; }
};

struct RuntimeInput {
  const Framework& framework;
  const World& world;
  const Lifecycle& lifecycle;
  const PodSplit& pod;            // runs the user's program
  const std::optional<Ssh>& ssh;  // nullopt: the nodes all run it
};

// True when a bundled runtime with patches is not enough.
bool needs_own_runtime(const RuntimeInput& input);

// A TrainingRuntime with this name, in this namespace ("" = the user's).
Json make_runtime(const RuntimeInput& input, const std::string& name, const std::string& ns);

}  // namespace trainctl::job
