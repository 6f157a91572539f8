// Shows the findings of a check to people and to programs.
#pragma once

#include <string>
#include <string_view>

#include "base/value/json.h"
#include "check/finding.h"
#include "manifest/kind/kind.h"
#include "view/viewer.h"

namespace trainctl::view {

// Sorts passed checks first and failed ones last, where people look.
void put_worst_last(job::Findings& findings);

// One line for each finding, marked ✓, ?, ! or ✗, with its remedy below.
std::string check_text(const Viewer& viewer, const job::Findings& findings);

// {"apiVersion":"trainctl/v1","kind":"CheckReport","name","namespace","jobKind","outcome",
//  "findings":[{"outcome","subject","message","remedy"}]}; outcomes are passes, unknown, may-fail
// and fails, and the report's is the worst.
Json check_report(const Viewer& viewer, const job::Kind& kind, std::string_view ns,
                  const Json& manifest, const job::Findings& findings);

}  // namespace trainctl::view
