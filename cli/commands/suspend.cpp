// `trainctl suspend` and `resume`: stop a job's pods for a time, and let it go on.
//
// A queued job is stopped through its queue: Kueue undoes what is done to the job itself, and the
// v1 operator would fail the job over it.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/flags.h"
#include "work/create/removal.h"
#include "work/find/find_job.h"
#include "work/find/queue_lookup.h"

namespace trainctl::cli {
namespace {

enum class Wish { suspend, resume };
enum class Change { made, not_needed };

struct Options {
  std::vector<std::string> jobs;
  std::string kind;
  std::optional<Duration> timeout;
};

std::string done(Wish wish) {
  return wish == Wish::suspend ? "suspended" : "resumed";
}

// {"spec":{"runPolicy":{"suspend":true}}} for the pointer "/spec/runPolicy/suspend".
Json patch_of(std::string_view pointer, bool value) {
  return Json{{std::string(pointer), value}}.unflatten();
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
      "a queued job is suspended by its Workload, since its queue undoes what is done to the job: "
      "ask for the right to patch workloads.kueue.x-k8s.io";
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
                          Wish wish, const std::optional<Deadline>& deadline) {
  const bool suspend = wish == Wish::suspend;
  if (true_at(job.object, job.kind->controller.suspend) == suspend) return Change::not_needed;
  // The operator takes the dying pods of the suspended run for failures of the new one.
  if (!suspend) TRY(work::wait_until_stopped(context, *job.kind, job.object, deadline));
  TRY(client.merge_patch(job.kind->resource, job.ns(), job.name(),
                         patch_of(job.kind->controller.suspend, suspend)));
  return Change::made;
}

Status run(const Options& options, Context& context, Wish wish) {
  TRY_ASSIGN(const job::Kind* kind, kind_flag(options.kind));
  const auto deadline = deadline_after(options.timeout, context.loop.now());
  const work::LimitedCalls limited(context, deadline);
  const std::string_view command = wish == Wish::suspend ? "suspend" : "resume";
  TRY_ASSIGN(const work::FoundJob job,
             work::find_whole_job(context, options.jobs.front(), kind, command, done(wish)));
  TRY(check_alive(job, wish));
  TRY_ASSIGN(kube::Client * client, context.client());
  const std::string queue = job::queue_of(job.object);
  TRY_ASSIGN(const Change change, queue.empty()
                                      ? change_job(context, *client, job, wish, deadline)
                                      : change_in_queue(*client, job, wish == Wish::resume));
  const bool is_new = change == Change::made;
  if (is_new && !queue.empty() && wish == Wish::resume) {
    context.console.notice(cat(job.name(), " waits for admission to queue ", queue));
  }
  return context.console.out(cat(work::resource_name(*job.kind, job.name()),
                                 is_new ? " " : " already ", done(wish), "\n"));
}

Runner define(const Definition& definition, Wish wish) {
  auto options = std::make_shared<Options>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB", options->jobs, 1, 1, cat("job to be ", done(wish)));
  add_kind_flag(bind, options->kind);
  if (wish == Wish::resume) {
    bind("timeout", options->timeout);
  }
  return [options, wish](Context& context) { return run(*options, context, wish); };
}

}  // namespace

Runner define_suspend(const Definition& definition) {
  return define(definition, Wish::suspend);
}

Runner define_resume(const Definition& definition) {
  return define(definition, Wish::resume);
}

}  // namespace trainctl::cli
