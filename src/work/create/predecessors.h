// Looks up the jobs that new jobs are to wait for (--after, --after-ok), before these are created.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "job/manifest/predecessors.h"
#include "work/access.h"
#include "work/create/manifest.h"
#include "work/find/find_job.h"

namespace trainctl::work {

class PredecessorLookup {
 public:
  explicit PredecessorLookup(Access& access) : access_(access) {}

  // Names each of them in the manifest with its kind; the jobs of an array stand for its name.
  // Where all have ended already as they should, the new job waits for none. Code::not_found for
  // one that is not there, Code::refused for a failed one that must succeed.
  Status complete(Manifest& manifest);

 private:
  Result<const std::vector<FoundJob>*> jobs_of(const job::JobRef& ref);

  Access& access_;
  std::map<std::string, std::vector<FoundJob>> found_;  // by reference: an array has many members
};

}  // namespace trainctl::work
