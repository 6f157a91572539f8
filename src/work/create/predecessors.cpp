// Finds the jobs as the user names them, and judges how each stands.
#include "work/create/predecessors.h"

#include <utility>

#include "base/text/text.h"
#include "work/find/job_lists.h"
#include "work/find/lineage.h"

namespace trainctl::work {
namespace {

job::Phase phase_of(const FoundJob& job) {
  return job::judge(*job.kind, job.object, {}, {}).phase;
}

Error has_failed(const std::string& name) {
  return {Code::refused,
          cat("the new job would never start: ", name,
              " has failed, and --after-ok waits for its success"),
          cat("run that job again: trainctl rerun ", name, "\nor wait only for its end: --after ",
              name)};
}

Error never_starts(const FoundJob& job, const std::string& cause, std::string hint) {
  return {Code::refused, cat(job.name(), " will never start: ", cause), std::move(hint)};
}

std::string see_state(const FoundJob& job) {
  return cat("see its state: trainctl why ", job.name());
}

// `rerun` gives the predecessor a new name, for which the job does not wait.
std::string run_both_again(const std::string& name, const std::string& before) {
  return cat("trainctl rerun ", before, ", then trainctl rerun ", name, " --after-ok ", before,
             "; this job: trainctl delete ", name);
}

std::string start_anyway(const std::string& name) {
  return cat("start it anyway: trainctl resume ", name, "; or trainctl delete ", name);
}

}  // namespace

Status PredecessorLookup::complete(Manifest& manifest, IfExists if_exists) {
  TRY_ASSIGN(const auto named, job::predecessors_of(manifest.object));
  if (named.empty()) return {};
  TRY_ASSIGN(const bool is_there, stays(manifest, if_exists));
  if (is_there) return {};
  const std::string name = text_at(manifest.object, "/metadata/name");
  std::vector<job::Predecessor> all;
  bool have_ended = true;
  for (const job::Predecessor& one : named) {
    TRY_ASSIGN(const std::vector<FoundJob>* jobs, jobs_of(one));
    for (FoundJob job : *jobs) {
      if (phase_of(job) == job::Phase::failed && one.must_succeed) {
        TRY_ASSIGN(job, latest_of(job));
      }
      std::set<std::string> seen;
      TRY(check_chain(job, name, seen));
      have_ended = have_ended && job::is_final(phase_of(job));
      all.push_back({{job.kind, job.name(), ""}, one.must_succeed});
    }
  }
  if (have_ended) all.clear();
  job::set_predecessors(manifest.object, all);
  if (have_ended) set_at(manifest.object, manifest.kind->controller.suspend, false);
  return {};
}

Status PredecessorLookup::check_waiting(const FoundJob& job) {
  std::set<std::string> seen;
  return check_chain(job, job.name(), seen);
}

// Follows what `job` itself waits for. `first`: the name that nothing on the way may wait for.
Status PredecessorLookup::check_chain(const FoundJob& job, const std::string& first,
                                      std::set<std::string>& seen) {
  if (!job::waits_for_jobs(*job.kind, job.object) || !seen.insert(job.name()).second) return {};
  TRY_ASSIGN(const auto named, job::predecessors_of(job.object));
  for (const job::Predecessor& one : named) {
    if (one.job.name == first) {
      return Error{Code::refused, cat(first, " and ", job.name(), " would wait for each other"),
                   cat("start that job: trainctl resume ", job.name())};
    }
    const auto jobs = jobs_of(one);
    const bool is_gone = !jobs && jobs.error().code == Code::not_found;
    const bool is_asked_for = job.name() == first;
    if (is_gone && one.must_succeed) {
      return never_starts(job, cat(one.job.name, " is gone"),
                          is_asked_for ? start_anyway(first) : see_state(job));
    }
    if (is_gone) continue;
    if (!jobs) return jobs.error();
    for (const FoundJob& before : **jobs) {
      if (one.must_succeed && phase_of(before) == job::Phase::failed) {
        return never_starts(job, cat(before.name(), " has failed"),
                            is_asked_for ? run_both_again(first, before.name()) : see_state(job));
      }
      TRY(check_chain(before, first, seen));
    }
  }
  return {};
}

Result<const std::vector<FoundJob>*> PredecessorLookup::jobs_of(const job::Predecessor& named) {
  const job::JobRef& ref = named.job;
  const std::string key =
      cat(ref.kind == nullptr ? "" : job::version_name(*ref.kind), '/', ref.name);
  const auto known = found_.find(key);
  if (known != found_.end()) return &known->second;
  auto jobs = find_job_or_array(access_, ref);
  if (!jobs && jobs.error().code != Code::not_found) return std::move(jobs).error();
  if (!jobs) {
    return in_context(named.must_succeed ? "--after-ok" : "--after", std::move(jobs).error());
  }
  return &found_.emplace(key, latest_runs(access_, *std::move(jobs))).first->second;
}

// The newest run of a failed job, by --retry or `rerun`.
Result<FoundJob> PredecessorLookup::latest_of(const FoundJob& failed) {
  const auto later = find_later_run(access_, failed);
  if (!later || later->phase == job::Phase::failed) return has_failed(failed.name());
  return find_job(access_, {failed.kind, later->name, ""});
}

Result<bool> PredecessorLookup::stays(const Manifest& manifest, IfExists if_exists) {
  const bool may_stay = if_exists == IfExists::attach || if_exists == IfExists::skip;
  const std::string name = text_at(manifest.object, "/metadata/name");
  if (!may_stay || name.empty()) return false;
  TRY_ASSIGN(kube::Client * client, access_.client());
  const auto found = client->get(manifest.kind->resource, manifest.ns, name);
  if (!found && found.error().code != Code::not_found) return found.error();
  return found.has_value();
}

}  // namespace trainctl::work
