// Finds out what would make a job hang or be refused, before it is created.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/finding.h"
#include "check/judges.h"
#include "work/access.h"
#include "work/create/manifest.h"

namespace trainctl::work {

struct Preflight {
  job::Findings findings;
  std::optional<Json> namesake;   // a job that has the name already
  std::optional<Error> unserved;  // the cluster has no such jobs
};

// The step that follows the questions: a creation would say itself whether the job is admitted. A
// replacement deletes a job of the name first, and quota and claims, of which that job has its
// part, do not count then.
enum class Before { decision, creation, replacement };

// Asks the cluster in two round trips; creates nothing. Questions that the user has no right to ask
// are Severity::unchecked. Errors are those of a cluster that does not answer at all.
// `also`: rights that the command itself needs once the job exists.
Result<Preflight> preflight(Access& access, const Manifest& manifest, Before before,
                            const std::vector<job::NeededRight>& also = {});

// Asks the same before a creation or a replacement. Returns the first finding that is certain to
// fail as the error, and warns of what else would or may fail. Succeeds when the cluster does not
// answer or does not serve the kind, and before a creation when it has a job of the name: creation
// itself deals with these.
Status check_before_creation(Access& access, const Manifest& manifest, Before before,
                             const std::vector<job::NeededRight>& also = {});

// The error of the first failure. Where nothing fails, Code::unchecked for what could not be asked,
// unless that is allowed.
Status outcome_of(const job::Findings& findings, bool allow_unchecked);
// The same when the findings have been printed: counts the failures instead of repeating one.
Status summary_of(const job::Findings& findings, bool allow_unchecked);
// "2 things were not checked: nodes (list nodes), secret hf (get secrets)"; "" = there are none.
std::string unchecked_words(const job::Findings& findings);

}  // namespace trainctl::work
