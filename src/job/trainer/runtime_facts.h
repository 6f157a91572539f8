// Reads what a TrainingRuntime or ClusterTrainingRuntime offers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/manifest/companions.h"
#include "job/trainer/conversion.h"
#include "kube/client/resource.h"

namespace trainctl::job {

inline constexpr kube::Resource k_cluster_training_runtimes{
    "trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes", "ClusterTrainingRuntime"};

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

}  // namespace trainctl::job
