// Decides whether and when a failed job is attempted again, and makes that submission.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/text/time.h"
#include "follow/failure_cause.h"
#include "follow/follow.h"
#include "manifest/companions.h"
#include "work/access.h"
#include "work/create/manifest.h"
#include "work/create/submission.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// The manifest of another run of the job, and the config maps, secrets and claims that the job
// owns. This run will own them as well, so that they stay when the job is deleted; only their
// metadata is kept here. Code::not_found when the cluster has lost something that the pods need.
Result<std::shared_ptr<const job::JobFile>> read_for_rerun(Access& access, const FoundJob& job);

// Decides about further attempts, and remembers what the last one showed.
struct Attempts {
  job::RetryRules rules;
  long limit = 0;            // of further attempts
  bool avoid_nodes = false;  // those where an attempt has failed
  long attempt = 1;
  bool again = false;
  bool goes_on = false;  // the job was given up
  job::Failure failure;

  // Notes how an attempt ended; true if the job is to be submitted again. A job that continues, or
  // was deleted, is not.
  bool decide(const job::FollowResult& result);
  // "attempt 2 of 4"
  std::string count() const;
  // Says why a job that has failed is not tried again; "" = there is nothing to explain.
  std::string reason_to_end(const Status& verdict) const;
};

// The pause before an attempt: none before the second one, ten seconds before the third, then twice
// as long each time, up to five minutes.
Duration pause_before(long attempt);

// Marks the manifest of the first attempt. Code::usage where further ones could not be named.
Status mark_first_attempt(Manifest& manifest);

// The next attempt at `job`, ready to be created. Errors are those of read_for_rerun,
// build_manifest and Submission::prepare.
Result<Submission> next_attempt(Access& access, const FoundJob& job, const Attempts& attempts);

}  // namespace trainctl::work
