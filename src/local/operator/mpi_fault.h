// The operator's own check of an MPIJob.
#pragma once

#include <string>

#include "base/value/json.h"

namespace trainctl::local {

// ControllerRules::fault of MPIJobs, which no webhook checks.
std::string mpi_fault(const Json& job);

}  // namespace trainctl::local
