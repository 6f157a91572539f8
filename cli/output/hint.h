// Completes commands in hints so that they can be typed unchanged.
#pragma once

#include <string>

#include "cli/context.h"
#include "view/viewer.h"

namespace trainctl::cli {

// Inserts the flags that chose cluster and namespace behind each `trainctl COMMAND` in `advice`
// that concerns jobs, so that the command applies to the same cluster. Secrets are omitted. An
// agent is told to wait for a job instead of following its log. With the embedded cluster, says
// what to do about a machine that is too small, and that kubectl does not reach it.
std::string with_cluster_flags(const std::string& advice, const Context& context);

// The user of this command, now. The context must outlive it.
view::Viewer viewer_of(const Context& context);

}  // namespace trainctl::cli
