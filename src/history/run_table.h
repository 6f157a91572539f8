// Past runs for people: the table of the history, and one run's facts.
#pragma once

#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/text/time.h"
#include "history/gpu_hours.h"
#include "history/run_report.h"
#include "work/access.h"

namespace trainctl::view {

std::string run_table(const std::vector<work::PastRun>& runs, Time now, const Console& console,
                      bool with_header);
// The other runs of a job that the history has beside one.
struct OtherRuns {
  std::vector<std::string> earlier;  // numbers of the runs of its name before this one
  std::vector<work::PastRun> later;  // what `rerun` and --retry made of this one
};

// A line for each group, and one for all of them. `group`: the heading of their names; "" = there
// are no groups.
std::string gpu_hours_table(const work::GpuHours& hours, const std::string& group,
                            const Console& console, bool with_header);

// One fact a line.
std::string run_description(const work::PastRun& run, const OtherRuns& others, Time now,
                            const Console& console);

// How the runs differ: kind, place, code, verdict and durations in words, then the fields of their
// manifests where both are kept.
std::vector<work::Difference> run_differences(const work::PastRun& a, const work::PastRun& b);

}  // namespace trainctl::view
