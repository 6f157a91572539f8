// Finds how far the training of jobs is, as job::metrics_json(): from the history, or from the last
// lines of their logs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "metrics/metric_record.h"
#include "work/access.h"
#include "work/find/usage.h"

namespace trainctl::work {

// The metrics that the history has of the jobs of a namespace ("" = all), by their uids: how far
// they were when nobody followed them any more. A job that has ended later came further, and is
// left out. Sends nothing.
std::map<std::string, Json> kept_metrics(Access& access, const std::string& ns);

// The run that the history has of this very job, with its manifest and the points of its metrics.
std::optional<PastRun> kept_run(Access& access, const FoundJob& job);

// Sets the metrics of running jobs. Reads the last lines of logs, all at once: of the leaders of
// the first 16 running jobs, then of their other replicas, 32 logs in all, which say who lags; what
// cannot be read, or not in time, comes from the history. An error is a signal's.
Status add_metrics(Access& access, std::vector<JobUsage>& jobs);

// The metrics of one job, by which it is judged: those of the history once the job is over and
// its log was read to the end, else the last lines of its logs; an empty record when neither has
// any. An error is a signal's.
Result<job::MetricRecord> metrics_of_one(Access& access, const FoundJob& job,
                                         const job::JobState& state);

}  // namespace trainctl::work
