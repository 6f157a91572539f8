// Finds contradictions between a job's program and the resources and policies of its replicas.
// Pure.
#pragma once

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/preflight/finding.h"

namespace trainctl::job {

// Never more than Severity::may_fail: a program may do with its arguments what it likes.
Findings judge_program(const Kind& kind, const Json& manifest);

}  // namespace trainctl::job
