// How two past runs differ, for people: one difference a line, the ends of their curves last.
#pragma once

#include <string>
#include <vector>

#include "base/console/console.h"
#include "history/run_report.h"
#include "work/access.h"

namespace trainctl::view {

struct DifferenceLine {
  std::string label;  // "args: --lr", "env SEED:", "loss"
  std::string a, b;   // "" = the run has no such value

  bool operator==(const DifferenceLine&) const = default;
};

// `found`: run_differences() and work::differences(). A difference that all roles share is one
// line, and words of a program are compared flag by flag.
std::vector<DifferenceLine> difference_lines(const work::PastRun& a, const work::PastRun& b,
                                             const std::vector<work::Difference>& found);

// The lines below the names of the runs. On a terminal long values are cut in the middle, or where
// they are equal.
std::string comparison_text(const work::PastRun& a, const work::PastRun& b,
                            const std::vector<work::Difference>& found, const Console& console);

}  // namespace trainctl::view
