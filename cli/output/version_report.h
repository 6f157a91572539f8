// The versions of the program and of the cluster, as data.
#pragma once

#include "base/result.h"
#include "base/value/json.h"
#include "cli/context.h"
#include "kube/client/discovery.h"

namespace trainctl::cli {

// {"apiVersion","kind":"Version","version","commit","libraries"} and, if the cluster is asked,
// {"cluster":{"kubernetes","apiVersions"}}. Absent facts are left out.
Result<Json> version_report(Context& context, bool with_cluster);

// The part that the cluster serves of the APIs of training jobs.
Result<kube::ServedVersions> served_apis(Context& context);

}  // namespace trainctl::cli
