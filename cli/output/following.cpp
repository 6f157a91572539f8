// Follows, and leaves reports: files, CI, stdout.
#include "cli/output/following.h"

#include <algorithm>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "cli/output/first_error.h"
#include "cli/output/hint.h"
#include "cli/output/log_printing.h"
#include "cli/output/noting.h"
#include "cli/output/reports.h"
#include "job/follow/follow_jobs.h"
#include "job/follow/job_console.h"
#include "job/manifest/manifest.h"
#include "job/queue/workload.h"
#include "job/status/reported.h"
#include "view/ci.h"
#include "work/create/namesakes.h"
#include "work/find/queue_lookup.h"

namespace trainctl::cli {
namespace {

constexpr Duration k_successor_time =
    std::chrono::seconds(5);  // to look for the job that replaced one

// `local down` fails a replica that may not run again, and its job with it.
bool has_failed_with_cluster(const Context& context, const job::Kind& kind,
                             const job::FollowResult& result) {
  const Status& verdict = result.outcome.verdict;
  if (verdict || !context.embedded || !context.embedded->was_stopped(verdict.error())) return false;
  const auto replicas = job::replicas_of(kind, result.job);
  return std::ranges::any_of(replicas, [](const job::Replica& replica) {
    return text_at(*replica.spec, "/restartPolicy") == "Never";
  });
}

// Says whether a job was given up and keeps running. A command that checks once without waiting, or
// waits for the job's deletion, has not given it up.
bool stays(const Context& context, const job::Kind& kind, const job::FollowOptions& options,
           const job::FollowResult& result) {
  const bool looked = options.deadline && options.deadline->timeout == Duration{};
  if (looked || result.deleted || options.wait_for == job::WaitFor::deleted) return false;
  return result.given_up && !has_failed_with_cluster(context, kind, result);
}

// Says at once how to end the jobs that stay.
Error telling_that_they_stay(const std::vector<std::string>& names, Error error) {
  const bool one = names.size() == 1;
  const bool tells_it = one && error.hint.find("trainctl delete ") != std::string::npos &&
                        error.hint.find(" " + names.front()) != std::string::npos;
  if (names.empty() || tells_it) return error;
  error.hint += cat(error.hint.empty() ? "" : "\n",
                    one ? "the job remains" : cat("the jobs ", join(names, ", "), " remain"),
                    " in the cluster: trainctl delete ", join(names, " "),
                    one ? " ends it" : " ends them", ", and so does --on-give-up=delete");
  return error;
}

Status final_word(const Context& context, const job::Kind& kind, const std::string& name,
                  const job::FollowResult& result) {
  const Status& verdict = result.outcome.verdict;
  if (!has_failed_with_cluster(context, kind, result)) return verdict;
  return Error{verdict.error().code, verdict.error().message,
               cat("the job has failed with it, since its restart policy is Never; its logs are "
                   "kept: trainctl logs ",
                   name)};
}

// A report outlives the command, so the hint in it stands for itself.
Error typeable(const Context& context, Error error) {
  error.hint = with_place(error.hint, context);
  return error;
}

// Adds to the command's own choices what the flags say, and where this job's lines go.
void prepare(Context& context, const work::FoundJob& job, const WaitFlags& flags,
             const std::string& save_logs, job::FollowOptions& options) {
  options.start_timeout = flags.start_timeout;
  options.fail_fast = flags.fail_fast;
  options.require_all = flags.require_all;
  options.leave = {flags.on_give_up == OnGiveUp::remove, flags.on_interrupt == OnInterrupt::cancel};
  options.events = flags.events;
  options.logs.places = log_places(context, save_logs);
  keep_log(context, job, flags, options);
  if (context.embedded) context.embedded->set_following(job.uid(), options);
}

// A job that a queue is named for, and none holds back, was admitted, or is none of Kueue's: that
// depends on the kinds of jobs that Kueue is set up to serve.
void warn_of_missed_queue(Context& context, const work::FoundJob& job,
                          const std::optional<Deadline>& deadline) {
  const std::string queue = job::queue_of(job.object);
  const bool is_held = true_at(job.object, job.kind->controller.suspend);
  if (queue.empty() || is_held || job::has_ended(*job.kind, job.object)) return;
  const auto client = context.client();
  if (!client) return;
  const work::LimitedCalls limited(context, deadline);
  const auto workload = work::find_workload(**client, job);
  if (workload || workload.error().code != Code::not_found) return;
  context.console.warn(cat("queue ", printable_line(queue), " did not admit ", job.name(), ": ",
                           workload.error().message, "; it runs without waiting in the queue"));
}

// A job that was deleted may have been replaced by somebody who submitted it again.
Error naming_the_successor(Context& context, const work::FoundJob& job, Error removed) {
  const auto client = context.client();
  if (!client) return removed;
  const work::LimitedCalls limited(context, deadline_after(k_successor_time, context.loop.now()));
  auto now = (*client)->get(job.kind->resource, job.ns(), job.name());
  if (!now || text_at(*now, "/metadata/uid") == job.uid()) return removed;
  removed.message += cat("; a new job has its name (",
                         work::describe_namesake(context, {job.kind, *std::move(now), ""}), ")");
  removed.hint = cat("follow the new one: trainctl logs -f ", job.name());
  return removed;
}

Json report_without(Context& context, const SoughtJob& job, const Error& why) {
  const job::Outcome outcome{why, job.since, context.loop.now(), {}, {}};
  return job::report_without_job(job.kind, job.ns, job.name, outcome);
}

// The report about a job that was not found, or not created, which others are told at once.
Json told_without(Context& context, const SoughtJob& job, const WaitFlags& flags,
                  const Error& why) {
  const Json report = report_without(context, job, why);
  notify(context, flags, report);
  warn_of(context, view::CiLog(context, context.ci).conclude(report));
  return report;
}

// How one of the command's jobs ended.
struct Ended {
  Status verdict;
  Json report;
  bool stays = false;  // given up, and it goes on
};

Ended end_of(Context& context, const work::FoundJob& job, const std::string& name,
             const job::FollowOptions& options, const WaitFlags& flags, job::FollowResult& result,
             const std::string& save_logs, view::CiLog& ci) {
  Status& verdict = result.outcome.verdict;
  if (!verdict && verdict.error().code == Code::removed) {
    verdict = naming_the_successor(context, job, std::move(verdict).error());
  }
  if (!verdict) verdict = typeable(context, std::move(verdict).error());
  if (!flags.no_history) note_followed(context, job, result, options.wait_for, save_logs);
  const Json& object = result.job.is_object() ? result.job : job.object;
  Ended ended;
  ended.report = job::job_report(*job.kind, object, result.state, {&result.outcome, nullptr});
  ended.stays = !verdict && stays(context, *job.kind, options, result);
  ended.verdict = ended.stays ? verdict : final_word(context, *job.kind, name, result);
  notify(context, flags, ended.report);
  warn_of(context, ci.conclude(ended.report));
  return ended;
}

Ended follow_one(Context& context, kube::Client& client, Console& console,
                 const work::FoundJob& job, job::FollowOptions options, const WaitFlags& flags,
                 const std::string& save_logs, std::unique_ptr<job::JobPods> pods) {
  warn_of_missed_queue(context, job, options.deadline);
  prepare(context, job, flags, save_logs, options);
  view::CiLog ci(context, context.ci);
  if (!options.logs.selection.none) ci.begin_lines(job.name());
  options.on_lines_done = [&ci] { ci.end_lines(); };
  job::KnownJob known{job.ns(), job.name(), job.uid(), job.object, std::move(pods)};
  job::FollowResult result = job::follow_job(client, console, *job.kind, std::move(known), options);
  return end_of(context, job, job.name(), options, flags, result, save_logs, ci);
}

}  // namespace

Status follow_job(Context& context, const work::FoundJob& job, job::FollowOptions options,
                  const WaitFlags& flags, const std::string& save_logs, Format output,
                  std::unique_ptr<job::JobPods> pods) {
  TRY_ASSIGN(kube::Client * client, context.client());
  Ended ended = follow_one(context, *client, context.console, job, std::move(options), flags,
                           save_logs, std::move(pods));
  Reports reports(context, flags, Reports::Shape::one_job);
  reports.add(job.kind, std::move(ended.report));
  reports.write();
  Status printed = reports.print(output);
  if (ended.verdict) return printed;
  warn_of(context, printed);
  if (!ended.stays) return ended.verdict;
  return telling_that_they_stay({job.name()}, std::move(ended.verdict).error());
}

Status FollowedJobs::follow(const work::FoundJob& job, job::FollowOptions options,
                            const std::string& save_logs) {
  TRY_ASSIGN(kube::Client * client, context_.client());
  waited_for_ = options.wait_for;
  const auto follow = [&](Console& console) {
    return follow_one(context_, *client, console, job, std::move(options), flags_, save_logs, {});
  };
  Ended ended;
  if (reports_.are_of_several()) {
    job::SharedStdout shared;
    job::JobConsole console(context_.console, shared, job.name());
    ended = follow(console);
  } else {
    ended = follow(context_.console);
  }
  reports_.add(job.kind, std::move(ended.report));
  if (ended.stays) staying_.push_back(job.name());
  return ended.verdict ? Status() : of_several(job.name(), std::move(ended.verdict).error());
}

bool FollowedJobs::follow_each(const std::vector<work::FoundJob>& jobs,
                               const job::FollowOptions& options, const std::string& save_logs,
                               FirstError& outcome) {
  std::optional<Error> end;
  for (const work::FoundJob& job : jobs) {
    if (end) {
      leave_out({job.kind, job.ns(), job.name(), context_.loop.now()}, *end);
      continue;
    }
    Status verdict = follow(job, options, logs_of_job(save_logs, job.name()));
    if (!goes_on(verdict)) end = verdict.error();
    outcome.note(std::move(verdict));
  }
  return !end;
}

void FollowedJobs::leave_out(const SoughtJob& job, const Error& why) {
  const Error unknown{why.code, cat("not reached: ", why.message), ""};
  reports_.add(job.kind, report_without(context_, job, unknown));
}

Error FollowedJobs::of_several(const std::string& name, Error error) const {
  return reports_.are_of_several() ? of_job(name, std::move(error)) : error;
}

Error FollowedJobs::give_up(const SoughtJob& job, Error why) {
  if (why.code == Code::usage) return why;
  why = typeable(context_, std::move(why));
  reports_.add(job.kind, told_without(context_, job, flags_, why));
  return of_several(job.name, std::move(why));
}

Status FollowedJobs::conclude(Status outcome, Format output) {
  reports_.write();
  const std::string summary = waited_for_ == job::WaitFor::verdict ? reports_.summary() : "";
  if (!summary.empty()) context_.console.notice(summary);
  Status printed = reports_.print(output);
  if (outcome) return printed;
  warn_of(context_, printed);
  return telling_that_they_stay(staying_, std::move(outcome).error());
}

Error of_job(const std::string& name, Error error) {
  const bool named = error.message.find(name) != std::string::npos;
  return named ? error : in_context(name, std::move(error));
}

void FollowedJobs::follow_at_once(const std::vector<work::FoundJob>& jobs,
                                  job::FollowOptions options, const std::string& save_logs,
                                  FirstError& outcome) {
  const auto client = context_.client();
  if (!client) return outcome.note(client.error());
  const std::vector<std::string> names = distinct_names(jobs);
  std::vector<job::FollowedJob> followed;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const work::FoundJob& job = jobs[i];
    options.logs.job = names[i];
    options.logs.selection.replica = job.replica;
    prepare(context_, job, flags_, logs_of_job(save_logs, names[i]), options);
    followed.push_back({job.kind, {job.ns(), job.name(), job.uid(), job.object, {}}, options});
  }
  auto results = job::follow_jobs(**client, context_.console, std::move(followed));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    view::CiLog ci(context_, context_.ci);
    Ended ended = end_of(context_, jobs[i], names[i], options, flags_, results[i],
                         logs_of_job(save_logs, names[i]), ci);
    if (ended.stays) staying_.push_back(names[i]);
    reports_.add(jobs[i].kind, std::move(ended.report));
    outcome.note(ended.verdict ? Status() : of_job(names[i], std::move(ended.verdict).error()));
  }
}

bool goes_on(const Status& verdict) {
  if (verdict) return true;
  const Code code = verdict.error().code;
  return ending_signal(code) == nullptr && code != Code::usage;
}

Error give_up(Context& context, const SoughtJob& job, const WaitFlags& flags, Error why) {
  if (why.code == Code::usage) return why;
  why = typeable(context, std::move(why));
  Reports reports(context, flags, Reports::Shape::one_job);
  reports.add(job.kind, told_without(context, job, flags, why));
  reports.write();
  return why;
}

}  // namespace trainctl::cli
