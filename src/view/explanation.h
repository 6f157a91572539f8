// Explains a job's state, and what to type next: the answer of `trainctl why`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/metric_record.h"
#include "status/state.h"
#include "view/viewer.h"
#include "work/find/job_lists.h"
#include "work/find/lineage.h"
#include "work/find/queue_lookup.h"

namespace trainctl::view {

struct Explanation {
  std::string cause;                 // one line
  std::vector<std::string> details;  // at most three lines, one of a worker cluster, one of NCCL
  std::string next;                  // what to do: a command, or a sentence
  std::optional<work::LaterRun> later = {};  // another run of a job that has failed
};

// `queue`: for a job that waits in one; nullopt for every other.
Explanation explain(const work::JobSnapshot& snapshot,
                    const std::optional<work::QueueLookup>& queue, Time now);

// Adds why the whole cluster makes no progress ("" = nothing known) to a job that has begun: the
// cluster's objects look healthy even when nothing makes progress.
void add_hindrance(const std::string& hindrance, const job::JobState& state, Explanation& why);

// Adds what the job's metrics tell of trouble: a loss that is no number, a replica that lags,
// a slow network.
void add_training(const job::MetricRecord& metrics, const job::JobState& state, Explanation& why);

// Six lines in most cases: the phase, the cause, the details, the next step.
std::string explanation_text(const Viewer& viewer, const work::JobSnapshot& snapshot,
                             const Explanation& why);
// {"apiVersion":"trainctl/v1","kind":"Explanation","name","namespace","jobKind","phase","since",
//  "reason","cause","details":[…],"next","queue":{"name","admission","position"},
//  "laterRun":{"name","phase"}}; absent facts are left out. `next` is as the text has it.
Json explanation_report(const Viewer& viewer, const work::JobSnapshot& snapshot,
                        const Explanation& why, const std::optional<work::QueueLookup>& queue);

}  // namespace trainctl::view
