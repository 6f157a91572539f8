// What the operator itself says of an MPIJob that cannot run.
#pragma once

#include <string>

#include "base/json.h"

namespace trainctl::local {

// OperatorKind::fault of MPIJobs: no webhook checks them.
std::string mpi_fault(const Json& job);

}  // namespace trainctl::local
