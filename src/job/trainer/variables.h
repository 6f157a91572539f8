// The environment of a TrainJob's programs: the variables that they know from the v1 operator, and
// the user's.
#pragma once

#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/trainer/conversion.h"
#include "job/trainer/framework.h"
#include "job/trainer/nodes.h"

namespace trainctl::job {

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
