// Turns an MPIJob of the training operator into one of mpi-operator (v2beta1). Pure.
#pragma once

#include "base/result.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/trainer/conversion.h"

namespace trainctl::job {

// Workers end with the job, and a launcher that may not restart is not retried, as with the
// training operator. Code::usage for a kind without a successor.
Result<Conversion> convert_to_successor(const Kind& kind, const Json& job);

}  // namespace trainctl::job
