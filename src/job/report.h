// The versioned JSON that -o json prints for jobs ("trainctl/v1").
#pragma once

#include <vector>

#include "base/json.h"
#include "job/kind.h"
#include "job/state.h"

namespace trainctl::job {

// {"apiVersion":"trainctl/v1","kind":"JobReport","name","namespace","jobKind","phase","reason","message",
//  "since","replicas":[{"name","role","index","rank","pod","node","state","reason","exitCode",
//  "restarts","since"}],"object":{…}}; absent facts are left out.
Json job_report(const Kind& kind, const Json& job, const JobState& state);
Json job_report_list(std::vector<Json> reports);

}  // namespace trainctl::job
