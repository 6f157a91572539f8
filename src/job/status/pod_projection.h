// The part of a pod that is kept in memory while a thousand of them are followed.
#pragma once

#include "base/value/json.h"

namespace trainctl::job {

// The fields of a pod that pod_state.h, log_container.h and replica.h read.
Json state_projection(const Json& pod);

}  // namespace trainctl::job
