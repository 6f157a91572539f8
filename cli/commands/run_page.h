// Gathers what the page about a run shows: from the job, the history and the logs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "follow/follow.h"
#include "metrics/metric_pattern.h"
#include "report/html_report.h"
#include "status/state.h"
#include "work/find/find_job.h"
#include "work/find/job_lists.h"

namespace trainctl::cli {

// A job that the cluster has. Reads its logs where the history has kept no lines or no metrics.
// `replica`: whose last lines are shown; "" = the culprit's. `own`, here and below: the user's
// metrics.
Result<view::RunPage> page_of_job(Context& context, const work::JobSnapshot& snapshot,
                                  const std::string& replica, const job::MetricPatterns& own);
// A job of an array. Its metrics are read as above, its lines out of the history alone.
view::RunPage page_of_member(Context& context, const work::FoundJob& job,
                             const job::JobState& state, const job::MetricPatterns& own);
// A run of the history, with its manifest.
view::RunPage page_of_run(Context& context, const work::PastRun& run,
                          const job::MetricPatterns& own);
// A job whose following has ended, for PageMaker. Asks nothing of the cluster, which may not
// answer.
view::RunPage page_of_followed(Context& context, const work::FoundJob& job,
                               const job::FollowResult& result);
// A job that was refused or not found: `report` has no more than its name and the verdict.
view::RunPage page_without_job(const Json& report);

}  // namespace trainctl::cli
