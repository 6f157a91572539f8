// `trainctl wait`: waits, without printing logs, until jobs are in the requested state.
#include <memory>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/following.h"
#include "history/find_run.h"
#include "options/table/choices.h"
#include "work/find/array_growth.h"
#include "work/find/default_job.h"
#include "work/find/job_lists.h"
#include "work/find/lineage.h"

namespace trainctl::cli {
namespace {

struct WaitOptions {
  std::vector<std::string> jobs;
  std::string kind, labels;
  options::Format output = options::Format::text;
  options::WaitFlags wait;
};

// Adds the jobs that the reference means. Returns false when none are waited for any more.
bool find_named(Context& context, FollowedJobs& followed, const WaitOptions& options,
                const job::JobRef& ref, std::vector<work::FoundJob>& jobs,
                work::ArrayGrowth& growth, FirstError& outcome) {
  const Time began = context.loop.now();
  const bool awaits_deletion = options.wait.follow.goal.wait_for == job::WaitFor::deleted;
  auto found = work::find_job_or_array_in_time(context, ref);
  if (found && !found->front().replica.empty()) {
    const work::FoundJob& job = found->front();
    outcome.note(
        Error{Code::usage, "wait is for whole jobs, not for a replica",
              cat("trainctl logs -f ", job.name(), '/', job.replica, " ends with that replica")});
    return false;
  }
  if (found) {
    if (found->size() > 1) followed.be_several();
    if (!awaits_deletion) growth.add(ref, *found);
    if (growth.expects_more()) followed.be_several();
    for (work::FoundJob& job : work::latest_runs(context, *std::move(found))) {
      work::add_once(jobs, work::latest_attempt(context, std::move(job)));
    }
    return true;
  }
  const bool is_gone = awaits_deletion && found.error().code == Code::not_found;
  Status missing = is_gone ? Status()
                           : followed.give_up({ref.kind, context.ns(), ref.name, began},
                                              work::naming_past_members(context, ref, "history",
                                                                        std::move(found).error()));
  const bool concerns_all = !missing && (ending_signal(missing.error().code) != nullptr ||
                                         missing.error().code == Code::usage);
  outcome.note(std::move(missing));
  return !concerns_all;
}

// The jobs to wait for: by reference where they are named, else found.
Status choose(Context& context, const WaitOptions& options, const job::Kind* kind,
              std::vector<job::JobRef>& refs, std::vector<work::FoundJob>& chosen) {
  const work::LimitedCalls limited(context);
  if (!options.labels.empty()) {
    TRY_ASSIGN(auto labelled, work::labelled_jobs(context, kind, options.labels));
    chosen = work::latest_runs(context, std::move(labelled));
    return {};
  }
  TRY_ASSIGN(const auto names, work::jobs_or_newest(context, options.jobs, kind));
  for (const std::string& text : names) {
    TRY_ASSIGN(refs.emplace_back(), work::job_ref(text, kind));
  }
  return {};
}

// The variable that should have held the name may have been empty.
Status check_named_in_ci(const Context& context) {
  if (context.ci == CiSystem::none) return {};
  return Error{Code::usage, "in a CI system, wait needs the name of a job",
               "name the job: trainctl wait JOB"};
}

Status run_wait(WaitOptions& options, Context& context) {
  TRY(work::check_choice(options.jobs, options.labels));
  TRY(check_following(context, options.wait));
  if (options.jobs.empty() && options.labels.empty()) {
    TRY(check_named_in_ci(context));
    TRY(check_unnamed(options.wait));
  }
  // All wait within one --timeout.
  const Time now = context.loop.now();
  context.begin_timeout(options.wait.timeout, now);
  job::FollowOptions& follow = options.wait.follow;
  follow.logs.selection.none = true;
  if (context.literal) follow.since = context.literal->waiting_since;
  if (context.deadline && follow.since) context.deadline->timeout += now - *follow.since;
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  std::vector<job::JobRef> refs;
  std::vector<work::FoundJob> chosen;
  FollowedJobs jobs(context, options.wait, Reports::Shape::one_job);
  if (Status known = choose(context, options, kind, refs, chosen); !known) {
    const JobTarget job{kind, context.ns(), "", context.loop.now(), options.labels};
    return jobs.conclude(jobs.give_up(job, std::move(known).error()), options.output);
  }
  FirstError outcome(context.console);
  if (refs.size() != 1 || !options.labels.empty()) jobs.be_several();
  work::ArrayGrowth growth(context);
  for (const job::JobRef& ref : refs) {
    if (find_named(context, jobs, options, ref, chosen, growth, outcome)) continue;
    return jobs.conclude(std::move(outcome).outcome(), options.output);
  }
  jobs.follow(std::move(chosen), follow, outcome, &growth);
  return jobs.conclude(std::move(outcome).outcome(), options.output);
}

}  // namespace

Runner define_wait(const Definition& definition) {
  auto options = std::make_shared<WaitOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB...", options->jobs, 0, k_any_number,
                  "jobs to wait for (default: the newest)");
  bind("selector", options->labels);
  bind("for", options->wait.follow.goal.wait_for);
  add_kind_flag(bind, options->kind);
  add_wait_flags(bind, options->wait);
  bind("output", options->output);
  return [options](Context& context) {
    options->jobs = work::each_once(options->jobs);
    return run_wait(*options, context);
  };
}

}  // namespace trainctl::cli
