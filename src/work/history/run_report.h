// A past run as JSON ("trainctl/v1"): what the history keeps of it, and what -o json prints. Pure.
#pragma once

#include <vector>

#include "base/value/json.h"
#include "work/past_runs.h"

namespace trainctl::work {

// {"name","namespace","jobKind","uid","cluster","submitted","started","ended","seconds","verdict":{"result",
//  "exitStatus","message"},"savedLogs","submittedElsewhere"}; unknown facts are left out.
Json run_facts(const PastRun& run);
PastRun read_run_facts(const Json& facts);

// From the start (where that is unknown, from submitting) to the end, as `wait` counts; nullopt =
// it is not known.
std::optional<Duration> duration_of(const PastRun& run);
// {"apiVersion","kind":"RunReport","run"} and run_facts(); with a manifest, also
// {"images","code","manifest"}.
Json run_report(const PastRun& run);
// Adds {"laterRuns":[{"run","name","result"}]}, the runs that `rerun` and --retry made of this one.
void add_later_runs(Json& report, const std::vector<PastRun>& later);
Json run_report_list(const std::vector<PastRun>& runs);
// The images of the job's containers, each once.
std::vector<std::string> images_in(const Json& manifest);

}  // namespace trainctl::work
