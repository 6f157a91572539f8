// A job's report as a short page of Markdown, for the summary of a CI run.
#pragma once

#include <string>

#include "base/value/json.h"

namespace trainctl::job {

// Heading with verdict, a table of the replicas, and the digest's last lines folded away. `report`
// is a JobReport with an outcome. Text from the cluster cannot break out of its cell or its fence.
std::string markdown_summary(const Json& report);

}  // namespace trainctl::job
