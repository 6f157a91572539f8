// Finds the metrics that a user means: of a job, a past run, the members of an array, or a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "metrics/metric_pattern.h"
#include "metrics/metric_record.h"
#include "status/state.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

struct MetricSource {
  std::string name;  // "ddp", "ddp (run 12)", "log.txt"
  job::MetricRecord record;
  bool has_times = true;                 // its lines say when they were printed
  std::optional<job::Phase> phase = {};  // of a job, as far as it is known
  std::int64_t run = 0;                  // of the history; 0 = none
  std::string values = {};               // job::member_values()
  bool ends_early = false;               // the history has them from before the log's end

  // It may print more.
  bool is_live() const { return phase && !job::is_final(*phase); }
  bool has_failed() const { return phase == job::Phase::failed; }
};

// A word is a file if it is "-" (stdin), or has a '/' or '.' and such a file exists; else a number
// is a run of the history; else it names a job or an array of the cluster, or what the history
// knows by that name. Sources without metrics have empty records. `own`: the user's patterns.
Result<std::vector<MetricSource>> find_metrics(Context& context, const std::string& word,
                                               const job::MetricPatterns& own);

// The metrics of a job that the cluster, or its worker cluster, has: its logs are read anew, the
// leader's first, and what the history has kept where they have none. The error says why no log
// could be read.
Result<MetricSource> metrics_of_job(Context& context, const work::FoundJob& job,
                                    const job::MetricPatterns& own);
// The same with the job's pods and its state, which are known already. `client`: leads to the pods.
Result<MetricSource> metrics_of_pods(Context& context, kube::Client& client,
                                     const work::FoundJob& job, const std::vector<Json>& pods,
                                     const job::JobState& state, const job::MetricPatterns& own);
// The metrics of a run that the history gave with its points.
MetricSource metrics_of_run(Context& context, const work::PastRun& run,
                            const job::MetricPatterns& own);

// True for a word that is read as a file.
bool is_metric_file(Context& context, const std::string& word);

}  // namespace trainctl::cli
