// A job's report in the XML that CI systems read as test results.
#pragma once

#include <span>
#include <string>

#include "base/value/json.h"

namespace trainctl::job {

// One <testsuite> for each report, named after its job: a <testcase> for the verdict and one for
// each replica; the verdict's <failure> (the job failed) or <error> (anything else) holds the
// digest. When the verdict is a success, or another attempt followed, nothing is a failure. The
// reports are JobReports with outcomes. Characters that XML 1.0 cannot hold become U+FFFD.
std::string junit_xml(std::span<const Json> reports);

}  // namespace trainctl::job
