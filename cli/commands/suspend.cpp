// `trainctl suspend`, `stop` and `resume`: stop a job's pods for a time, and continue it.
//
// A queued job is stopped through its queue: Kueue undoes what is done to the job itself, and the
// v1 operator would fail the job over it.
#include <memory>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "base/text/words.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/first_error.h"
#include "cli/output/hint.h"
#include "cli/output/log_printing.h"
#include "manifest/manifest.h"
#include "status/judgement.h"
#include "work/create/removal.h"
#include "work/find/find_job.h"
#include "work/find/job_lists.h"
#include "work/find/lineage.h"
#include "work/find/queue_lookup.h"

namespace trainctl::cli {
namespace {

enum class Wish {
  suspend,
  stop,  // suspend, and keep the logs, which go with the pods
  resume,
};
enum class Change { made, not_needed };

struct SuspendOptions {
  std::vector<std::string> jobs;
  std::string kind;
  std::optional<Duration> timeout;
};

constexpr Word<Wish> k_commands[] = {
    {"suspend", Wish::suspend}, {"stop", Wish::stop}, {"resume", Wish::resume}};

std::string done(Wish wish) {
  if (wish == Wish::stop) return "stopped";
  return wish == Wish::suspend ? "suspended" : "resumed";
}

Status check_alive(const work::FoundJob& job, Wish wish) {
  const job::Phase phase = job::judge(*job.kind, job.object, {}, {}).phase;
  if (!job::is_final(phase)) return {};
  return Error{Code::usage,
               cat("job ", job.name(), " has ended (", job::phase_name(phase), ") and cannot be ",
                   done(wish)),
               cat("see how: trainctl why ", job.name())};
}

// Kueue's roles for users let them read Workloads, and not change them.
Error without_right(Error error) {
  if (error.code != Code::auth) return error;
  error.hint =
      "Kueue suspends a queued job through its Workload: you need permission to patch "
      "workloads.kueue.x-k8s.io";
  return error;
}

Result<Change> change_in_queue(kube::Client& client, const work::FoundJob& job, bool active) {
  auto workload = work::find_workload(client, job);
  if (!workload) return without_right(std::move(workload).error());
  const Json* now = find(workload->object, "/spec/active");
  if ((now == nullptr || *now == true) == active) return Change::not_needed;
  const auto patched =
      client.merge_patch(workload->resource, job.ns(), text_at(workload->object, "/metadata/name"),
                         {{"spec", {{"active", active}}}});
  if (!patched) return without_right(patched.error());
  return Change::made;
}

Result<Change> change_job(Context& context, kube::Client& client, const work::FoundJob& job,
                          Wish wish) {
  const bool suspend = wish != Wish::resume;
  const bool is_so = true_at(job.object, job.kind->controller.suspend) == suspend;
  if (is_so) return Change::not_needed;
  // The operator takes the dying pods of the suspended run for failures of the new one.
  if (!suspend) TRY(work::wait_until_stopped(context, *job.kind, job.object));
  Json patch = Json::object();
  set_at(patch, job.kind->controller.suspend, suspend);
  TRY(client.merge_patch(job.kind->resource, job.ns(), job.name(), patch));
  return Change::made;
}

// The pods take their logs with them, so that these are read first.
Status keep_logs(Context& context, const work::FoundJob& job) {
  Status kept = keep_logs_of(context, job);
  if (kept) return {};
  return Error{kept.error().code,
               cat("job ", job.name(),
                   " was not stopped, since its logs would be lost: ", kept.error().message),
               cat("trainctl suspend ", job.name(), " stops the job without keeping them")};
}

void tell_of_stop(Context& context, const std::string& names) {
  context.console.notice(with_cluster_flags(
      cat("the logs: trainctl logs ", names, "; to continue: trainctl resume ", names), context));
}

Status change(Context& context, const work::FoundJob& job, Wish wish) {
  TRY(check_alive(job, wish));
  TRY_ASSIGN(kube::Client * client, context.client());
  if (wish == Wish::stop) TRY(keep_logs(context, job));
  const std::string queue = job::queue_of(job.object);
  TRY_ASSIGN(const Change change, queue.empty()
                                      ? change_job(context, *client, job, wish)
                                      : change_in_queue(*client, job, wish == Wish::resume));
  const bool is_new = change == Change::made;
  if (is_new && wish == Wish::resume && !queue.empty()) {
    context.console.notice(cat(job.name(), " waits for admission to queue ", queue));
  }
  return context.console.out(cat(work::resource_name(*job.kind, job.name()),
                                 is_new ? " " : " already ", done(wish), "\n"));
}

// Each of these names stands for one job, or for the jobs of an array.
Result<std::vector<work::FoundJob>> jobs_to_suspend(Context& context, const SuspendOptions& options,
                                                    Wish wish) {
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  std::vector<work::FoundJob> jobs;
  for (const std::string& text : options.jobs) {
    TRY_ASSIGN(auto found,
               work::find_whole_jobs(context, text, kind, word_of(k_commands, wish), done(wish)));
    for (work::FoundJob& job : found) {
      work::add_once(jobs, work::latest_attempt(context, std::move(job)));
    }
  }
  return jobs;
}

Status run_suspend(const SuspendOptions& options, Context& context, Wish wish) {
  context.begin_timeout(options.timeout, context.loop.now());
  const work::LimitedCalls limited(context);
  TRY_ASSIGN(auto jobs, jobs_to_suspend(context, options, wish));
  if (jobs.size() > 1) {
    jobs = work::latest_runs(context, std::move(jobs));
    std::erase_if(jobs, [](const work::FoundJob& job) {
      return job::is_final(job::judge(*job.kind, job.object, {}, {}).phase);
    });
  }
  if (jobs.empty()) context.console.notice("all of these jobs have ended");
  FirstError outcome(context.console);
  for (const work::FoundJob& job : jobs) {
    Status changed = change(context, job, wish);
    const bool is_over = !changed && ending_signal(changed.error().code) != nullptr;
    outcome.note(std::move(changed));
    if (is_over) break;
  }
  if (wish == Wish::stop && !jobs.empty() && outcome.is_fine()) {
    tell_of_stop(context, join(options.jobs, " "));
  }
  return std::move(outcome).outcome();
}

Runner define_suspend(const Definition& definition, Wish wish) {
  auto options = std::make_shared<SuspendOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB...", options->jobs, 1, k_any_number,
                  cat("jobs or arrays to be ", done(wish)));
  add_kind_flag(bind, options->kind);
  if (wish == Wish::resume) {
    bind("timeout", options->timeout);
  }
  return [options, wish](Context& context) {
    options->jobs = work::each_once(options->jobs);
    return run_suspend(*options, context, wish);
  };
}

}  // namespace

Runner define_suspend(const Definition& definition) {
  return define_suspend(definition, Wish::suspend);
}

Runner define_stop(const Definition& definition) {
  return define_suspend(definition, Wish::stop);
}

Runner define_resume(const Definition& definition) {
  return define_suspend(definition, Wish::resume);
}

}  // namespace trainctl::cli
