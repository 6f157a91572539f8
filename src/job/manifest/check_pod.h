// Checks that the pods of a replica can be created.
#pragma once

#include "base/result.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

// The server accepts any pod template in a job. If the pod is invalid, the operator's create then
// fails repeatedly, and the job shows no status. Refuses such templates.
Status check_pod(const Kind& kind, const Json& manifest, const Replica& replica);

}  // namespace trainctl::job
