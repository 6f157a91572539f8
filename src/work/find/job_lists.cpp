// Compares jobs by their uids and by what they are runs of.
#include "work/find/job_lists.h"

#include <algorithm>
#include <set>

#include "base/text/number.h"
#include "base/text/text.h"
#include "job/manifest/array.h"
#include "job/manifest/rerun.h"
#include "kube/object/metadata.h"
#include "work/find/lineage.h"

namespace trainctl::work {

std::vector<FoundJob> latest_runs(Access& access, std::vector<FoundJob> jobs) {
  std::set<std::string> names, run_again;
  for (const FoundJob& job : jobs) names.insert(job.name());
  for (const FoundJob& job : jobs) {
    const std::string first =
        text_at(job.object, kube::annotation_pointer(job::k_rerun_annotation));
    if (!names.contains(first)) continue;
    if (has_proof(access, job)) {
      run_again.insert(first);
    } else {
      access.notice_once(cat(words_for_claims({job.name()}, cat("another run of ", first)), ": ",
                             first, " counts as well"));
    }
  }
  std::erase_if(jobs, [&](const FoundJob& job) { return run_again.contains(job.name()); });
  return jobs;
}

std::optional<Error> missing_members(const std::vector<FoundJob>& jobs, const std::string& array) {
  std::set<std::string> indexes;
  long size = 0;
  for (const FoundJob& job : jobs) {
    if (text_at(job.object, kube::label_pointer(job::k_label_array)) != array) return std::nullopt;
    indexes.insert(text_at(job.object, kube::label_pointer(job::k_label_array_index)));
    const std::string noted =
        text_at(job.object, kube::annotation_pointer(job::k_array_size_annotation));
    size = std::clamp(parse_number<long>(noted).value_or(0), size, job::k_most_members);
  }
  const long missing = size - static_cast<long>(indexes.size());
  if (missing <= 0) return std::nullopt;
  return Error{Code::not_found, cat("array ", array, " lacks ", missing, " of its ", size, " jobs"),
               "create the missing jobs: run the submit line again with --if-exists=attach"};
}

std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  std::vector<std::string> once;
  for (const std::string& name : names) {
    if (seen.insert(name).second) once.push_back(name);
  }
  return once;
}

void add_once(std::vector<FoundJob>& jobs, FoundJob job) {
  const auto is_same = [&job](const FoundJob& other) {
    return other.uid() == job.uid() && other.replica == job.replica;
  };
  if (std::ranges::none_of(jobs, is_same)) jobs.push_back(std::move(job));
}

}  // namespace trainctl::work
