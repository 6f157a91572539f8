// Follows the annotation that names the job which was run again.
#include "work/find/later_run.h"

#include <set>

#include "base/text/text.h"
#include "job/manifest/rerun.h"
#include "kube/object/metadata.h"
#include "work/find/lineage.h"

namespace trainctl::work {
namespace {

std::string first_run(const FoundJob& job) {
  return text_at(job.object, kube::annotation_pointer(job::k_rerun_annotation));
}

}  // namespace

std::optional<LaterRun> newest_run_of(const FoundJob& job, const std::vector<FoundJob>& jobs) {
  std::set<std::string> runs = {job.name()};
  const FoundJob* newest = nullptr;
  for (bool grows = true; grows;) {
    grows = false;
    for (const FoundJob& other : jobs) {
      // An older job was a run of a namesake that is gone.
      const bool is_run = other.kind == job.kind && other.created() >= job.created() &&
                          runs.contains(first_run(other));
      if (!is_run || !runs.insert(other.name()).second) continue;
      grows = true;
      if (newest == nullptr || other.created() >= newest->created()) newest = &other;
    }
  }
  if (newest == nullptr) return std::nullopt;
  return LaterRun{newest->name(), job::judge(*newest->kind, newest->object, {}, {}).phase};
}

std::optional<LaterRun> find_later_run(Access& access, const FoundJob& job) {
  auto jobs = list_jobs(access, {job.kind, false, ""});
  if (!jobs) return std::nullopt;
  std::vector<std::string> claiming;
  std::erase_if(*jobs, [&](const FoundJob& other) {
    const std::string first = first_run(other);
    if (first.empty() || has_proof(access, other)) return false;
    if (first == job.name()) claiming.push_back(other.name());
    return true;
  });
  if (!claiming.empty()) {
    access.notice_once(
        cat(words_for_claims(claiming, cat("another run of ", job.name())), ": ignored"));
  }
  return newest_run_of(job, *jobs);
}

std::string words_of(const LaterRun& later) {
  const std::string phase = lower(job::phase_name(later.phase));
  return cat("was submitted again as ", later.name, ", which ",
             job::is_final(later.phase) ? "has " : "is ", phase);
}

}  // namespace trainctl::work
