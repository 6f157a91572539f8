// Finds the jobs as the user names them, and judges how each stands.
#include "work/create/predecessors.h"

#include <utility>

#include "base/text/text.h"
#include "work/find/job_lists.h"

namespace trainctl::work {
namespace {

Error has_failed(const std::string& name) {
  return {Code::refused,
          cat("the new job would never start: ", name,
              " has failed, and --after-ok waits for its success"),
          cat("run that one again: trainctl rerun ", name, "\nor wait for its end alone: --after ",
              name)};
}

}  // namespace

Status PredecessorLookup::complete(Manifest& manifest) {
  TRY_ASSIGN(const auto named, job::predecessors_of(manifest.object));
  if (named.empty()) return {};
  std::vector<job::Predecessor> all;
  bool have_ended = true;
  for (const job::Predecessor& one : named) {
    TRY_ASSIGN(const std::vector<FoundJob>* jobs, jobs_of(one.job));
    for (const FoundJob& job : *jobs) {
      const job::Phase phase = job::judge(*job.kind, job.object, {}, {}).phase;
      if (phase == job::Phase::failed && one.must_succeed) return has_failed(job.name());
      have_ended = have_ended && job::is_final(phase);
      all.push_back({{job.kind, job.name(), ""}, one.must_succeed});
    }
  }
  if (have_ended) all.clear();
  job::set_predecessors(manifest.object, all);
  if (have_ended) set_at(manifest.object, manifest.kind->controller.suspend, false);
  return {};
}

Result<const std::vector<FoundJob>*> PredecessorLookup::jobs_of(const job::JobRef& ref) {
  const std::string key =
      cat(ref.kind == nullptr ? "" : job::version_name(*ref.kind), '/', ref.name);
  const auto known = found_.find(key);
  if (known != found_.end()) return &known->second;
  auto jobs = find_job_or_array(access_, ref);
  if (!jobs) return in_context("--after", std::move(jobs).error());
  return &found_.emplace(key, latest_runs(*std::move(jobs))).first->second;
}

}  // namespace trainctl::work
