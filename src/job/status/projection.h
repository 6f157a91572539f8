// The parts of pods and jobs that are kept in memory while thousands of them are judged.
#pragma once

#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

// The fields of a pod that pod_state.h, log_container.h and replica.h read.
Json state_projection(const Json& pod);

// The job without its pod templates, which are most of it: a judgement, a report and a row of a
// table read the rest.
Json without_templates(const Kind& kind, Json job);

}  // namespace trainctl::job
