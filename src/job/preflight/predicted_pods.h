// The pods that the training operator will make of a job, one for each role. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

struct PredictedPod {
  std::string role;  // as in the names of replicas: "worker"
  int count = 0;     // of its role
  Json pod;          // as it is sent to the server, but under a generated name and without an owner
};

// Empty for a kind whose pods come from a runtime that trainctl does not read.
std::vector<PredictedPod> predicted_pods(const Kind& kind, const Json& job);

}  // namespace trainctl::job
