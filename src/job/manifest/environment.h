// Adds the rendezvous variables that the operator does not set in PyTorch jobs without a master.
#pragma once

#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

// Adds MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK, PET_MASTER_ADDR, PET_MASTER_PORT and
// PET_NODE_RANK to the workers of a PyTorchJob manifest without Master and without elasticPolicy,
// where the user has not set them. Job name and index come from pod labels by the downward API, so
// that a generated name works too. (training-operator pkg/controller.v1/pytorch/envvar.go sets them
// only when a Master exists.)
void add_rendezvous_environment(const Kind& kind, Json& manifest);

}  // namespace trainctl::job
