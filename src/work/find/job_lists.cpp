// Compares jobs by their uids and by what they are runs of.
#include "work/find/job_lists.h"

#include <algorithm>
#include <set>

#include "job/manifest/rerun.h"
#include "kube/object/metadata.h"

namespace trainctl::work {

std::vector<FoundJob> latest_runs(std::vector<FoundJob> jobs) {
  std::set<std::string> run_again;
  for (const FoundJob& job : jobs) {
    run_again.insert(text_at(job.object, kube::annotation_pointer(job::k_rerun_annotation)));
  }
  std::erase_if(jobs, [&](const FoundJob& job) { return run_again.contains(job.name()); });
  return jobs;
}

void add_once(std::vector<FoundJob>& jobs, FoundJob job) {
  const auto is_same = [&job](const FoundJob& other) {
    return other.uid() == job.uid() && other.replica == job.replica;
  };
  if (std::ranges::none_of(jobs, is_same)) jobs.push_back(std::move(job));
}

}  // namespace trainctl::work
