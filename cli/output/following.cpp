// Reports of a followed job: result file, JUnit, CI, stdout.
#include "cli/output/following.h"

#include <algorithm>

#include "base/text/text.h"
#include "cli/output/first_error.h"
#include "cli/output/hint.h"
#include "cli/output/noting.h"
#include "cli/output/output.h"
#include "job/follow/follow_jobs.h"
#include "job/follow/job_console.h"
#include "job/follow/junit.h"
#include "job/manifest/manifest.h"
#include "job/queue/workload.h"
#include "job/status/reported.h"
#include "view/ci.h"
#include "work/create/namesakes.h"
#include "work/find/queue_lookup.h"
#include "work/notify/notify.h"

namespace trainctl::cli {
namespace {

constexpr int k_indent = 2;
constexpr Duration k_successor_time =
    std::chrono::seconds(5);  // to look for the job that replaced one

void warn_of(Context& context, const Status& status) {
  if (!status) context.console.warn(status.error().message);
}

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

Status notify(Context& context, const std::string& target, const Json& report) {
  if (!work::is_hook(target)) return work::run_notifier(context, target, report);
  TRY_ASSIGN(const auto endpoint, work::hook_endpoint(context, target));
  TRY_ASSIGN(const auto transport, context.make_transport(endpoint));
  return work::post_notice(context.loop, *transport, target, report);
}

// Wherever they were asked for. A verdict is worth more than the trouble of writing it down.
void leave_reports(Context& context, const WaitFlags& flags, const Json& report, view::CiLog& ci) {
  if (!flags.result_file.empty()) {
    warn_of(context, context.files.write(flags.result_file, dump(report, k_indent) + '\n'));
  }
  if (!flags.junit.empty()) {
    warn_of(context, context.files.write(flags.junit, job::junit_xml(report)));
  }
  if (!flags.notify.empty()) warn_of(context, notify(context, flags.notify, report));
  warn_of(context, ci.conclude(report));
}

void take_flags(const WaitFlags& flags, job::FollowOptions& options) {
  options.start_timeout = flags.start_timeout;
  options.fail_fast = flags.fail_fast;
  options.require_all = flags.require_all;
  options.leave = {flags.on_give_up == OnGiveUp::remove, flags.on_interrupt == OnInterrupt::cancel};
  options.events = flags.events;
}

}  // namespace

job::LogPlaces log_places(Context& context, const std::string& save_logs) {
  job::LogPlaces places;
  const std::string temporary = context.environment.text("TMPDIR");
  if (!temporary.empty()) places.spool_directory = temporary;
  if (save_logs.empty()) return places;
  places.save = [&files = context.files, save_logs](const std::string& name,
                                                    std::string_view bytes) {
    return files.append(resolve_path(save_logs, name), bytes);
  };
  return places;
}

namespace {

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

// Adds the job's name to `staying` where it was given up and goes on.
Status follow_one(Context& context, Console& console, const work::FoundJob& job,
                  job::FollowOptions options, const WaitFlags& flags, const std::string& save_logs,
                  Format output, std::unique_ptr<job::JobPods> pods,
                  std::vector<std::string>& staying) {
  TRY_ASSIGN(kube::Client * client, context.client());
  warn_of_missed_queue(context, job, options.deadline);
  take_flags(flags, options);
  options.logs.places = log_places(context, save_logs);
  if (context.embedded) context.embedded->set_following(job.uid(), options);
  view::CiLog ci(context, context.ci);
  if (!options.logs.selection.none) ci.begin_lines(job.name());
  options.on_lines_done = [&ci] { ci.end_lines(); };
  job::KnownJob known{job.ns(), job.name(), job.uid(), job.object, std::move(pods)};
  job::FollowResult result =
      job::follow_job(*client, console, *job.kind, std::move(known), options);

  Status& verdict = result.outcome.verdict;
  if (!verdict && verdict.error().code == Code::removed) {
    verdict = naming_the_successor(context, job, std::move(verdict).error());
  }
  if (!verdict) verdict = typeable(context, std::move(verdict).error());
  if (!flags.no_history) note_followed(context, job, result, options.wait_for, save_logs);
  const Json& object = result.job.is_object() ? result.job : job.object;
  const Json report = job::job_report(*job.kind, object, result.state, {&result.outcome, nullptr});
  leave_reports(context, flags, report, ci);
  Status printed =
      output == Format::text ? Status() : print_report(context, output, *job.kind, report);
  if (verdict) return printed;
  warn_of(context, printed);
  if (!stays(context, *job.kind, options, result))
    return final_word(context, *job.kind, job.name(), result);
  staying.push_back(job.name());
  return verdict;
}

}  // namespace

Status follow_job(Context& context, const work::FoundJob& job, job::FollowOptions options,
                  const WaitFlags& flags, const std::string& save_logs, Format output,
                  std::unique_ptr<job::JobPods> pods) {
  std::vector<std::string> staying;
  Status verdict = follow_one(context, context.console, job, std::move(options), flags, save_logs,
                              output, std::move(pods), staying);
  if (verdict) return verdict;
  return telling_that_they_stay(staying, std::move(verdict).error());
}

Status FollowedInTurn::follow(const work::FoundJob& job, job::FollowOptions options,
                              Format output) {
  const auto follow = [&](Console& console) {
    return follow_one(context_, console, job, std::move(options), flags_, "", output, {}, staying_);
  };
  if (count_ == 1) return follow(context_.console);
  job::SharedStdout shared;
  job::JobConsole console(context_.console, shared, job.name());
  Status verdict = follow(console);
  return verdict ? verdict : of_several(job.name(), std::move(verdict).error());
}

Error FollowedInTurn::of_several(const std::string& name, Error error) const {
  return count_ == 1 ? error : of_job(name, std::move(error));
}

Error FollowedInTurn::telling_which_stay(Error outcome) const {
  return telling_that_they_stay(staying_, std::move(outcome));
}

std::vector<std::string> distinct_names(const std::vector<work::FoundJob>& jobs) {
  std::vector<std::string> names;
  for (const work::FoundJob& job : jobs) {
    const bool shares_name = std::ranges::any_of(jobs, [&job](const work::FoundJob& other) {
      return other.name() == job.name() && other.kind != job.kind;
    });
    names.push_back(shares_name ? cat(job.kind->alias, "/", job.name()) : job.name());
  }
  return names;
}

Error of_job(const std::string& name, Error error) {
  const bool named = error.message.find(name) != std::string::npos;
  return named ? error : in_context(name, std::move(error));
}

Status follow_jobs(Context& context, const std::vector<work::FoundJob>& jobs,
                   job::FollowOptions options, const WaitFlags& flags,
                   const std::string& save_logs) {
  TRY_ASSIGN(kube::Client * client, context.client());
  take_flags(flags, options);
  const std::vector<std::string> names = distinct_names(jobs);
  std::vector<job::FollowedJob> followed;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const work::FoundJob& job = jobs[i];
    options.logs.job = names[i];
    options.logs.selection.replica = job.replica;
    options.logs.places =
        log_places(context, save_logs.empty() ? "" : resolve_path(save_logs, names[i]));
    if (context.embedded) context.embedded->set_following(job.uid(), options);
    followed.push_back({job.kind, {job.ns(), job.name(), job.uid(), job.object, {}}, options});
  }
  auto results = job::follow_jobs(*client, context.console, std::move(followed));
  FirstError verdicts(context.console);
  std::vector<std::string> staying;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!flags.no_history) {
      const std::string logs = save_logs.empty() ? "" : resolve_path(save_logs, names[i]);
      note_followed(context, jobs[i], results[i], options.wait_for, logs);
    }
    if (stays(context, *jobs[i].kind, options, results[i])) staying.push_back(names[i]);
    Status verdict = final_word(context, *jobs[i].kind, names[i], results[i]);
    verdicts.note(verdict ? Status() : of_job(names[i], std::move(verdict).error()));
  }
  Status outcome = std::move(verdicts).outcome();
  if (outcome) return outcome;
  return telling_that_they_stay(staying, std::move(outcome).error());
}

Error give_up(Context& context, const SoughtJob& job, const WaitFlags& flags, Error why) {
  if (why.code == Code::usage) return why;
  why = typeable(context, std::move(why));
  view::CiLog ci(context, context.ci);
  const job::Outcome outcome{why, job.since, context.loop.now(), {}, {}};
  leave_reports(context, flags, job::report_without_job(job.kind, job.ns, job.name, outcome), ci);
  return why;
}

}  // namespace trainctl::cli
