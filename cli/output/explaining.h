// Explains a job of the cluster by all that is known of it now, as `why` prints it.
#pragma once

#include <optional>

#include "cli/context.h"
#include "view/explanation.h"
#include "work/find/job_lists.h"
#include "work/find/queue_lookup.h"

namespace trainctl::cli {

struct Explained {
  view::Explanation why;
  std::optional<work::QueueLookup> queue;
};
// Asks for the job's queue and for a later run of a job that has failed.
Result<Explained> explain_now(Context& context, const work::JobSnapshot& snapshot);

}  // namespace trainctl::cli
