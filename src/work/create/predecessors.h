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
  PredecessorLookup(Access& access, IfExists if_exists) : access_(access), if_exists_(if_exists) {}

  // Names each of them in the manifest with its kind; the jobs of an array stand for its name, and
  // a later run that has not failed for a job that has. Where all have ended already as they
  // should, the new job waits for none. Code::not_found for one that is not there; Code::refused
  // where the new job would wait for ever: one that must succeed has failed, or waits for such a
  // one, or jobs would wait for each other. Nothing is looked up for a job that exists and stays.
  Status complete(Manifest& manifest);

  // Why `job` will never be started by those who follow it; no error where it may be.
  Status check_waiting(const FoundJob& job);

 private:
  Result<const std::vector<FoundJob>*> jobs_of(const job::Predecessor& named);
  Result<FoundJob> latest_of(const FoundJob& failed);
  Status check_chain(const FoundJob& job, const std::string& first, std::set<std::string>& seen);
  Result<bool> stays(const Manifest& manifest);

  Access& access_;
  IfExists if_exists_;
  std::map<std::string, std::vector<FoundJob>> found_;  // by reference: an array has many members
};

}  // namespace trainctl::work
