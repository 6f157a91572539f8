// The parts of pods and jobs that are kept in memory while thousands of them are judged.
#pragma once

#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// The fields of a pod that status/pod_state.h, logs/container_runs.h and manifest/kind/replica.h
// read.
Json state_projection(const Json& pod);

// The fields of a job that a judgement and a row of a table read. Its pod templates, which are most
// of it, are left out, and so is metadata except names, times, labels and the annotations with the
// jobs that it waits for.
Json row_projection(const Kind& kind, Json job);

}  // namespace trainctl::job
