// `--array`: one submit line, many jobs, one outcome.
#include "base/loop/ending_signals.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "cli/commands/submit.h"
#include "cli/output/first_error.h"
#include "cli/output/following.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "history/find_run.h"
#include "manifest/footprint.h"
#include "manifest/warnings.h"
#include "status/judgement.h"
#include "work/create/array_creation.h"
#include "work/create/local_manifest.h"
#include "work/create/removal.h"
#include "work/find/find_job.h"
#include "work/find/job_lists.h"
#include "work/find/lineage.h"

namespace trainctl::cli {
namespace {

Result<work::JobArray> build(Context& context, const SubmitOptions& options) {
  std::vector<job::ArrayAxis> axes;
  for (const std::string& text : options.array.axes) {
    TRY_ASSIGN(axes.emplace_back(), job::parse_axis(text));
  }
  return work::build_array(context, options.source, axes,
                           options.array.limit.value_or(k_array_limit));
}

Status dry_run(Context& context, const SubmitOptions& options,
               std::vector<work::Submission>& submissions) {
  std::vector<Json> documents;
  for (work::Submission& submission : submissions) {
    TRY_ASSIGN(work::Manifest shown, dry_manifest(context, options.dry_run, submission));
    if (options.output == options::Format::name) {
      TRY(print_manifest(context, options::Format::name, *shown.kind, shown.object));
    }
    documents.push_back(std::move(shown.object));
  }
  return options.output == options::Format::name
             ? Status()
             : print_documents(context, options.output, documents);
}

Status tell(Context& context, const SubmitOptions& options, const Submitted& made) {
  if (!made.fresh || options.output != options::Format::text || options.stays()) return {};
  return context.console.out(work::resource_name(*made.job.kind, made.job.name()) + " created\n");
}

// Creates the jobs as the line says; those that fail go into the reports.
work::ArrayCreation::Steps steps_of(Context& context, const SubmitOptions& options,
                                    FollowedJobs& followed, FirstError& outcome) {
  const auto sought_now = [&context](const work::Manifest& manifest) {
    return sought(manifest, context.loop.now());
  };
  work::ArrayCreation::Steps steps;
  steps.create = [&](work::Submission& submission) -> Result<work::FoundJob> {
    TRY_ASSIGN(Submitted made, create_from(context, options, submission));
    outcome.note(tell(context, options, made));
    return std::move(made.job);
  };
  steps.refused = [&, sought_now](const work::Manifest& manifest, Error why) {
    why = followed.give_up(sought_now(manifest), std::move(why));
    outcome.note(why);
    return why;
  };
  steps.left_out = [&followed, sought_now](const work::Manifest& manifest, const Error& why) {
    followed.leave_out(sought_now(manifest), why);
  };
  return steps;
}

// Handles a signal while jobs were created: --on-interrupt decides whether those created remain.
void end_early(Context& context, const SubmitOptions& options,
               const std::vector<work::FoundJob>& jobs, const Error& end, FollowedJobs& followed) {
  const bool removes = options.waiting.follow.leave.on_interrupt == job::OnInterrupt::cancel;
  context.loop.ending_signals().forget();
  if (removes) {
    warn_of(context, work::remove_jobs(context, jobs, [&context](const auto&, Status removed) {
              warn_of(context, std::move(removed));
            }));
  }
  for (const work::FoundJob& job : jobs) {
    followed.leave_out({job.kind, job.ns(), job.name(), context.loop.now()}, end);
  }
  const auto count = static_cast<long>(jobs.size());
  context.console.notice(removes ? cat(plural(count, "job"), " deleted")
                                 : cat(plural(count, "job"), " created and left in the cluster"));
}

// Ends the command without following the jobs.
Status leave(Context& context, const SubmitOptions& options, const std::string& name,
             const std::vector<work::FoundJob>& jobs) {
  if (options.output != options::Format::text) {
    std::vector<job::JobState> states;
    for (const work::FoundJob& job : jobs) {
      states.push_back(job::judge(*job.kind, job.object, {}, {}));
    }
    TRY(print_jobs(context, options.output, jobs, states));
  }
  context.console.notice(with_cluster_flags("wait for all: trainctl wait " + name, context));
  return {};
}

// --max-parallel: each job that ends makes room for the next one.
void follow_in_turns(Context& context, const SubmitOptions& options, const std::string& name,
                     work::ArrayCreation& creation, FollowedJobs& followed, FirstError& outcome) {
  const long at_once = *options.array.at_once;
  context.console.notice(cat("array ", name, ": following its jobs in namespace ", context.ns(),
                             ", ", at_once, " at a time"));
  const auto end =
      followed.follow_queue([&creation](std::size_t) { return creation.next(); },
                            static_cast<std::size_t>(at_once), follow_options(options), outcome);
  if (end) creation.give_up(*end);
}

Status submit_all(Context& context, const SubmitOptions& options, work::JobArray array,
                  const work::ApiChoice& choice) {
  const work::Manifest& first = array.members.front();
  if (context.embedded) TRY(work::check_runs_here(*first.kind, first.object, context.files));
  const auto warnings = job::manifest_warnings(*first.kind, first.object);
  context.begin_timeout(options.waiting.timeout, context.loop.now());
  const std::string name = array.name;
  const auto count = static_cast<long>(array.members.size());
  std::vector<work::Submission> submissions;
  {
    const bool for_a_cluster = options.dry_run != options::DryRun::client;
    std::optional<work::LimitedCalls> limited;
    if (for_a_cluster) limited.emplace(context);
    TRY_ASSIGN(submissions,
               work::prepare_members(context, std::move(array.members), choice, for_a_cluster));
    introduce(context, warnings,
              cat("array ", name, ": ", plural(count, "job"), ", each ",
                  submissions.front().footprint()));
    if (options.dry_run != options::DryRun::none) return dry_run(context, options, submissions);
    TRY(check_with_cluster(context, options, submissions.front()));
  }
  FirstError outcome(context.console);
  FollowedJobs followed(context, options.waiting, Reports::Shape::several);
  followed.be_of_array(name, static_cast<std::size_t>(count));
  work::ArrayCreation creation(context, submissions, steps_of(context, options, followed, outcome));
  const bool is_in_turns = options.array.at_once && options.stays();
  if (is_in_turns) {
    follow_in_turns(context, options, name, creation, followed, outcome);
    return followed.conclude(std::move(outcome).outcome(), options.output);
  }
  std::vector<work::FoundJob> jobs;
  while (auto job = creation.next()) jobs.push_back(*std::move(job));
  if (!options.stays()) {
    outcome.note(leave(context, options, name, jobs));
    return std::move(outcome).outcome();
  }
  const auto& end = creation.end();
  const bool is_interrupted = end && ending_signal(end->code) != nullptr;
  if (is_interrupted) end_early(context, options, jobs, *end, followed);
  if (!is_interrupted && !jobs.empty()) {
    context.console.notice(cat("array ", name, ": following ",
                               plural(static_cast<long>(jobs.size()), "job"), " in namespace ",
                               context.ns()));
    followed.follow(jobs, follow_options(options), outcome);
  }
  return followed.conclude(std::move(outcome).outcome(), options.output);
}

// Why a job that has not failed may never succeed; "" for one that may.
std::string why_not_failed(const job::JobState& state) {
  if (state.phase == job::Phase::restarting)
    return "since the cluster keeps restarting its replicas";
  if (!state.blocker || job::is_final(state.phase)) return "";
  const std::string& replica = state.blocker->replica;
  return cat("but ", replica, replica.empty() ? "" : " ",
             "cannot start: ", printable_line(state.blocker->words()));
}

// Leaves the jobs that have failed. The pods show which others only keep crashing.
Status keep_failed(Context& context, std::vector<work::FoundJob>& jobs) {
  TRY_ASSIGN(const auto states, work::judge_jobs(context, jobs));
  std::vector<work::FoundJob> failed;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (states[i].phase == job::Phase::failed) {
      failed.push_back(std::move(jobs[i]));
      continue;
    }
    const std::string why = why_not_failed(states[i]);
    if (why.empty()) continue;
    const std::string name = jobs[i].name();
    context.console.notice(
        with_cluster_flags(cat(name, " has not failed, ", why, "; trainctl why ", name,
                               "; to run it again now: trainctl rerun ", name),
                           context));
  }
  jobs = std::move(failed);
  return {};
}

}  // namespace

void add_array_flags(const OptionBinder& bind, SubmitOptions& options) {
  bind("array", options.array.axes);
  refuse_below_one(bind("array-limit", options.array.limit));
}

Status submit_array(Context& context, const SubmitOptions& options, const work::ApiChoice& choice) {
  TRY_ASSIGN(work::JobArray array, build(context, options));
  return submit_all(context, options, std::move(array), choice);
}

Status rerun_failed(Context& context, SubmitOptions options, const job::JobRef& array) {
  auto found = work::find_job_or_array(context, array);
  if (!found) return work::naming_past_members(context, array, "rerun", std::move(found).error());
  auto jobs = work::latest_runs(context, *std::move(found));
  TRY(keep_failed(context, jobs));
  const auto stranger = std::ranges::find_if_not(
      jobs, [&context](const work::FoundJob& job) { return work::has_proof(context, job); });
  if (stranger != jobs.end()) {
    return Error{Code::refused, cat(stranger->name(), " was not submitted from here"),
                 cat("see what it runs, and decide: trainctl rerun ", stranger->name())};
  }
  if (jobs.empty()) {
    context.console.notice(cat("no job of ", array.name, " has failed: nothing to run again"));
    return {};
  }
  TRY_ASSIGN(work::JobArray again, work::rerun_of_all(context, options.source, array.name, jobs));
  // Somebody else may run the same jobs again at this moment.
  if (options.if_exists == work::IfExists::fail) options.if_exists = work::IfExists::skip;
  const work::ApiChoice as_it_was{work::Api::v1, ""};
  return submit_all(context, options, std::move(again), as_it_was);
}

}  // namespace trainctl::cli
