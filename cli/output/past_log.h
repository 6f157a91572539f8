// Prints what the history has kept of the log of a job that is gone.
#pragma once

#include "cli/context.h"
#include "job/follow/log_choice.h"
#include "job/kind/replica.h"

namespace trainctl::cli {

// `gone` says that the cluster has no such job, and comes back when the history kept no log of it.
Status print_past_log(Context& context, const job::JobRef& job, const job::LogChoice& choice,
                      Error gone);

}  // namespace trainctl::cli
