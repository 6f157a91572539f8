// A past run as JSON ("trainctl/v1"): what the history keeps of it, and what -o json prints. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "work/access.h"

namespace trainctl::work {

// {"name","namespace","jobKind","uid","cluster","submitted","started","ended","seconds","verdict":{"result",
//  "exitStatus","message"},"savedLogs","submittedElsewhere","line","arrayValues","metrics"};
//  unknown facts are left out.
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
// The images of the job's containers, each once; none for a job of the embedded cluster, which runs
// its programs without them. `cluster`: PastRun::cluster.
std::vector<std::string> images_of(std::string_view cluster, const Json& manifest);

// A field that differs; null = it is not there. A list of plain values is one field.
struct Difference {
  std::string path;  // "spec.pytorchReplicaSpecs.Worker.template.spec.containers[pytorch].image"
  Json a, b;
};

// In the order of the fields of `a`, then those that only `b` has. Elements of lists are matched by
// their name, else by their place. The names of the two jobs are no difference, nor are the
// labels and annotations of trainctl itself.
std::vector<Difference> differences(const Json& a, const Json& b);

// A value on one line: words as a shell takes them, objects as JSON; "" = it is not there.
std::string value_words(const Json& value);

}  // namespace trainctl::work
