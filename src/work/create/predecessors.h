// Looks up the jobs that new jobs are to wait for (--after, --after-ok), before these are created.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "job/manifest/predecessors.h"
#include "work/access.h"
#include "work/create/create.h"
#include "work/create/manifest.h"
#include "work/find/find_job.h"

namespace trainctl::work {

class PredecessorLookup {
 public:
  explicit PredecessorLookup(Access& access) : access_(access) {}

  // Writes each predecessor with its kind into the manifest. Replaces an array by its jobs, and a
  // failed job by a later run that has not failed. The new job waits for none if all have ended as
  // they should. Code::not_found for a missing one; Code::refused if a required job has failed,
  // depends on a failed job, or would form a cycle. Skips the lookup if the job exists and is kept.
  Status complete(Manifest& manifest, IfExists if_exists);

  // Code::refused if `job` can never start: why, and in the hint what helps. No error if it may.
  Status check_waiting(const FoundJob& job);

 private:
  Result<const std::vector<FoundJob>*> jobs_of(const job::Predecessor& named);
  Result<FoundJob> latest_of(const FoundJob& failed);
  Status check_chain(const FoundJob& job, const std::string& first, std::set<std::string>& seen);
  Result<bool> stays(const Manifest& manifest, IfExists if_exists);

  Access& access_;
  std::map<std::string, std::vector<FoundJob>> found_;  // by reference: an array has many members
};

}  // namespace trainctl::work
