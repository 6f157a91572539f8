// `--array`: one submit line, many jobs, one outcome.
#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "cli/commands/submit.h"
#include "cli/output/first_error.h"
#include "cli/output/following.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "job/manifest/check.h"
#include "work/create/local_manifest.h"
#include "work/create/removal.h"
#include "work/create/rerun.h"
#include "work/find/find_job.h"

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

Result<std::vector<work::Submission>> prepare(Context& context, std::vector<work::Manifest> members,
                                              const work::ApiChoice& choice, bool for_a_cluster) {
  std::vector<work::Submission> submissions;
  for (work::Manifest& member : members) {
    TRY_ASSIGN(work::Submission submission,
               work::Submission::prepare(context, std::move(member), choice, for_a_cluster));
    submissions.push_back(std::move(submission));
  }
  return submissions;
}

Status dry_run(Context& context, const SubmitOptions& options,
               std::vector<work::Submission>& submissions) {
  std::vector<Json> documents;
  for (work::Submission& submission : submissions) {
    TRY_ASSIGN(work::Manifest shown, dry_manifest(context, options.dry_run, submission));
    if (options.output == Format::name) {
      TRY(print_manifest(context, Format::name, *shown.kind, shown.object));
    }
    documents.push_back(std::move(shown.object));
  }
  return options.output == Format::name ? Status()
                                        : print_documents(context, options.output, documents);
}

// An error that the next member would meet as well.
bool concerns_all(const Error& error) {
  return ending_signal(error.code) != nullptr || error.code == Code::usage ||
         error.code == Code::auth || error.code == Code::unreachable || error.code == Code::timeout;
}

Status tell(Context& context, const SubmitOptions& options, const Submitted& made) {
  if (!made.fresh || options.output != Format::text || options.stays()) return {};
  return context.console.out(work::resource_name(*made.job.kind, made.job.name()) + " created\n");
}

// Jobs that are there, whether they were so before or not. `end`: why no more were created.
struct Members {
  std::vector<work::FoundJob> jobs;
  std::optional<Error> end;
};

// They are created one after another, within the server's own limit of requests. A member that
// cannot be created does not keep the others from it.
Members create_all(Context& context, const SubmitOptions& options,
                   std::vector<work::Submission>& submissions,
                   const std::optional<Deadline>& deadline, FollowedJobs& followed,
                   FirstError& outcome) {
  const work::LimitedCalls limited(context, deadline);
  Members members;
  for (work::Submission& submission : submissions) {
    const SoughtJob wanted = sought(submission.manifest(), context.loop.now());
    if (members.end) {
      followed.leave_out(wanted, *members.end);
      continue;
    }
    auto made = create_from(context, options, submission, deadline);
    Status told =
        made ? tell(context, options, *made) : followed.give_up(wanted, std::move(made).error());
    if (made) members.jobs.push_back(std::move(made->job));
    if (!told && concerns_all(told.error())) members.end = told.error();
    outcome.note(std::move(told));
  }
  return members;
}

// A signal came while jobs were created: those that are there go, or are left, as the user said.
void end_early(Context& context, const SubmitOptions& options, const Members& members,
               FollowedJobs& followed) {
  const bool removes = options.waiting.on_interrupt == OnInterrupt::cancel;
  for (const work::FoundJob& job : members.jobs) {
    const SoughtJob sought{job.kind, job.ns(), job.name(), context.loop.now()};
    if (removes) warn_of(context, work::remove_job(context, *job.kind, job.object));
    followed.leave_out(sought, *members.end);
  }
  const auto count = static_cast<long>(members.jobs.size());
  context.console.notice(removes ? cat(plural(count, "job"), " deleted")
                                 : cat(plural(count, "job"), " created, which go on"));
}

// Ends the command without following the jobs.
Status leave(Context& context, const SubmitOptions& options, const std::string& name,
             const std::vector<work::FoundJob>& jobs) {
  if (options.output != Format::text) {
    std::vector<job::JobState> states;
    for (const work::FoundJob& job : jobs) {
      states.push_back(job::judge(*job.kind, job.object, {}, {}));
    }
    TRY(print_jobs(context, options.output, jobs, states));
  }
  context.console.notice(with_place("wait for all: trainctl wait " + name, context));
  return {};
}

Status submit_all(Context& context, const SubmitOptions& options, work::JobArray array,
                  const work::ApiChoice& choice) {
  const work::Manifest& first = array.members.front();
  if (context.embedded) TRY(work::check_runs_here(*first.kind, first.object));
  const auto warnings = job::manifest_warnings(*first.kind, first.object);
  const auto deadline = deadline_after(options.waiting.timeout, context.loop.now());
  const std::string name = array.name;
  const auto count = static_cast<long>(array.members.size());
  std::vector<work::Submission> submissions;
  {
    const bool for_a_cluster = options.dry_run != DryRun::client;
    std::optional<work::LimitedCalls> limited;
    if (for_a_cluster) limited.emplace(context, deadline);
    TRY_ASSIGN(submissions, prepare(context, std::move(array.members), choice, for_a_cluster));
    introduce(context, warnings,
              cat("array ", name, ": ", plural(count, "job"), ", each ",
                  submissions.front().footprint()));
    if (options.dry_run != DryRun::none) return dry_run(context, options, submissions);
    TRY(check_with_cluster(context, options, submissions.front()));
  }
  FirstError outcome(context.console);
  FollowedJobs followed(context, options.waiting, Reports::Shape::several);
  const Members members = create_all(context, options, submissions, deadline, followed, outcome);
  const std::vector<work::FoundJob>& jobs = members.jobs;
  if (!options.stays()) {
    outcome.note(leave(context, options, name, jobs));
    return std::move(outcome).outcome();
  }
  const bool is_interrupted = members.end && ending_signal(members.end->code) != nullptr;
  if (is_interrupted) end_early(context, options, members, followed);
  if (is_interrupted || jobs.empty())
    return followed.conclude(std::move(outcome).outcome(), options.output);
  context.console.notice(cat("array ", name, ": following ",
                             plural(static_cast<long>(jobs.size()), "job"), " in namespace ",
                             context.ns()));
  job::FollowOptions follow = follow_options(options, deadline);
  if (options.follow) {
    followed.follow_at_once(jobs, std::move(follow), options.log.save, outcome);
  } else {
    followed.follow_each(jobs, follow, options.log.save, outcome);
  }
  return followed.conclude(std::move(outcome).outcome(), options.output);
}

}  // namespace

void add_array_flags(const OptionBinder& bind, SubmitOptions& options) {
  bind("array", options.array.axes);
  check_values(bind("array-limit", options.array.limit), [](const std::string& text) {
    return text.starts_with('-') || text == "0" ? cat("`", text, "` is less than 1") : "";
  });
}

Status submit_array(Context& context, const SubmitOptions& options, const work::ApiChoice& choice) {
  TRY_ASSIGN(work::JobArray array, build(context, options));
  return submit_all(context, options, std::move(array), choice);
}

Status rerun_failed(Context& context, SubmitOptions options, const job::JobRef& array) {
  TRY_ASSIGN(auto jobs, work::find_job_or_array(context, array));
  jobs = work::latest_runs(std::move(jobs));
  std::erase_if(jobs, [](const work::FoundJob& job) {
    return job::judge(*job.kind, job.object, {}, {}).phase != job::Phase::failed;
  });
  if (jobs.empty()) {
    context.console.notice(cat("no job of ", array.name, " has failed: nothing to run again"));
    return {};
  }
  work::JobArray again{array.name, {}};
  for (const work::FoundJob& job : jobs) {
    TRY_ASSIGN(options.source.earlier, work::read_for_rerun(context, job));
    TRY_ASSIGN(again.members.emplace_back(), work::build_manifest(context, options.source));
  }
  const work::ApiChoice as_it_was{work::Api::v1, ""};
  return submit_all(context, options, std::move(again), as_it_was);
}

}  // namespace trainctl::cli
