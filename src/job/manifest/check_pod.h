// What the pods of a replica must satisfy to be created.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "job/kind/kind.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

// The server takes any pod template in a job; the operator's create then fails, again and again,
// and the job shows no status. Refuses what would end so.
Status check_pod(const Kind& kind, const Json& manifest, const Replica& replica);

}  // namespace trainctl::job
