// Finds credentials that a job would show to everyone who can read it. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

// One warning for what the history would leave out of the variables and arguments of the replicas
// and of `program`, a TrainJob's; "" when nothing. No value is in it. References such as $(TOKEN)
// are not credentials.
std::string plain_credentials_warning(const std::vector<Replica>& replicas, const Json& program);

}  // namespace trainctl::job
