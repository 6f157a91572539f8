// What is kept of a pod, by who follows a thousand of them.
#pragma once

#include "base/json.h"

namespace trainctl::job {

// The part of a pod that pod_state.h, log_container.h and replica.h read.
Json state_projection(const Json& pod);

}  // namespace trainctl::job
