// A job's report in the XML that CI systems read as test results.
#pragma once

#include <string>

#include "base/value/json.h"

namespace trainctl::job {

// One <testsuite> named after the job: a <testcase> for the verdict and one for each replica; the
// verdict's <failure> (the job failed) or <error> (anything else) holds the digest. When the job is
// well, nothing is a failure, and a replica's exit is in its <system-out>. `report` is a JobReport
// with an outcome. Characters that XML 1.0 cannot hold become U+FFFD.
std::string junit_xml(const Json& report);

}  // namespace trainctl::job
