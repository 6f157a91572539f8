// Fills in what flags say of following, and reports the result.
#include "cli/output/job_end.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "cli/output/hint.h"
#include "cli/output/log_printing.h"
#include "cli/output/noting.h"
#include "cli/output/reports.h"
#include "job/follow/report.h"
#include "job/manifest/manifest.h"
#include "job/queue/workload.h"
#include "job/status/reported.h"
#include "work/create/create.h"
#include "work/find/lineage.h"
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
    return job::restart_policy_of(replica) == "Never";
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

Status final_word(const Context& context, const job::Kind& kind, const std::string& name,
                  const job::FollowResult& result) {
  const Status& verdict = result.outcome.verdict;
  if (!has_failed_with_cluster(context, kind, result)) return verdict;
  return Error{
      verdict.error().code, verdict.error().message,
      cat("the job failed when the embedded cluster stopped, since its restart policy is Never; "
          "its logs are kept: trainctl logs ",
          name)};
}

// Only a job that had failed before it was followed can have been run again.
void tell_of_later_run(Context& context, const work::FoundJob& job, const Status& verdict) {
  const bool has_failed = !verdict && verdict.error().code == Code::job_failed;
  if (!has_failed || !job::has_ended(*job.kind, job.object)) return;
  const work::LimitedCalls limited(context, deadline_after(k_successor_time, context.loop.now()));
  const auto later = work::find_later_run(context, job);
  if (!later) return;
  context.console.notice(with_place(
      cat("job ", job.name(), ' ', work::words_of(*later), ": trainctl why ", later->name),
      context));
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

}  // namespace

Error typeable(const Context& context, Error error) {
  error.hint = with_place(error.hint, context);
  return error;
}

void prepare(Context& context, const work::FoundJob& job, const options::WaitFlags& flags,
             const std::string& save_logs, job::FollowOptions& options) {
  options.start_timeout = flags.start_timeout;
  options.fail_fast = flags.fail_fast;
  options.require_all = flags.require_all;
  options.leave = {flags.on_give_up == options::OnGiveUp::remove,
                   flags.on_interrupt == options::OnInterrupt::cancel};
  options.events = flags.events;
  options.logs.places = log_places(context, save_logs);
  keep_log(context, job, flags, options);
  if (context.embedded) context.embedded->set_following(job.uid(), options);
}

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

Json report_without(Context& context, const SoughtJob& job, const Error& why) {
  const job::Outcome outcome{why, job.since, context.loop.now(), {}, {}};
  return job::report_without_job(job.kind, job.ns, job.name, outcome);
}

Json told_without(Context& context, const SoughtJob& job, const options::WaitFlags& flags,
                  const Error& why) {
  const Json report = report_without(context, job, why);
  notify(context, flags, report);
  warn_of(context, view::CiLog(context, context.ci).conclude(report));
  return report;
}

Ended end_of(Context& context, const work::FoundJob& job, const std::string& name,
             const job::FollowOptions& options, const options::WaitFlags& flags,
             job::FollowResult& result, const std::string& save_logs, view::CiLog& ci,
             const Retries& retries) {
  Status& verdict = result.outcome.verdict;
  if (!verdict && verdict.error().code == Code::removed) {
    verdict = naming_the_successor(context, job, std::move(verdict).error());
  }
  if (!verdict) verdict = typeable(context, std::move(verdict).error());
  if (!flags.history.none) note_followed(context, job, result, options, save_logs);
  const Json& object = result.job.is_object() ? result.job : job.object;
  Ended ended;
  ended.report = job::job_report(*job.kind, object, result.state, {&result.outcome, nullptr});
  if (retries && retries(result)) job::set_retried(ended.report, true);
  ended.stays = !verdict && stays(context, *job.kind, options, result);
  ended.verdict = ended.stays ? verdict : final_word(context, *job.kind, name, result);
  notify(context, flags, ended.report);
  warn_of(context, ci.conclude(ended.report));
  return ended;
}

Ended follow_one(Context& context, kube::Client& client, Console& console,
                 const work::FoundJob& job, job::FollowOptions options,
                 const options::WaitFlags& flags, const std::string& save_logs,
                 std::unique_ptr<job::JobPods> pods, const Retries& retries) {
  warn_of_missed_queue(context, job, options.deadline);
  prepare(context, job, flags, save_logs, options);
  view::CiLog ci(context, context.ci);
  if (!options.logs.selection.none) ci.begin_lines(job.name());
  options.on_lines_done = [&ci] { ci.end_lines(); };
  job::KnownJob known{job.ns(), job.name(), job.uid(), job.object, std::move(pods)};
  job::FollowResult result = job::follow_job(client, console, *job.kind, std::move(known), options);
  Ended ended = end_of(context, job, job.name(), options, flags, result, save_logs, ci, retries);
  tell_of_later_run(context, job, ended.verdict);
  return ended;
}

}  // namespace trainctl::cli
