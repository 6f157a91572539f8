// Finds out what would make a job hang or be refused, before it is created.
#pragma once

#include <optional>

#include "base/result.h"
#include "job/preflight/finding.h"
#include "work/access.h"
#include "work/create/manifest.h"

namespace trainctl::work {

struct Preflight {
  job::Findings findings;
  std::optional<Json> namesake;   // a job that has the name already
  std::optional<Error> unserved;  // the cluster has no such jobs
};

// Asks the cluster in two round trips; creates nothing. Facts that the user may not read
// are Severity::unknown. Errors are those of a cluster that does not answer at all.
Result<Preflight> preflight(Access& access, const Manifest& manifest);

// Asks the same before a creation. Returns the first finding that is certain to fail as the error,
// and warns of what else would or may fail. Succeeds when the cluster does not answer, does not
// serve the kind, or has a job of the name: creation itself deals with these.
Status check_before_creation(Access& access, const Manifest& manifest);

// The error of the first failure; ok when there is none.
Status outcome_of(const job::Findings& findings);
// The same when the findings have been printed: counts the failures instead of repeating one.
Status summary_of(const job::Findings& findings);

}  // namespace trainctl::work
