// `trainctl delete`: deletes jobs by name, or those selected by labels, age or state.
#include <memory>

#include "base/console/console.h"
#include "base/loop/ending_signals.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/first_error.h"
#include "status/judgement.h"
#include "work/create/removal.h"
#include "work/find/find_job.h"
#include "work/find/job_lists.h"
#include "work/find/lineage.h"
#include "work/find/seen_end.h"

namespace trainctl::cli {
namespace {

struct DeleteOptions {
  std::vector<std::string> jobs;
  std::string kind, labels;
  bool all = false;
  bool finished = false;
  bool wait = false;
  bool ignore_not_found = false;
  bool yes = false;
  bool dry_run = false;
  std::optional<Duration> older_than, timeout;

  bool chooses() const { return all || finished || !labels.empty(); }
};

Status check_delete(const DeleteOptions& options) {
  if (options.older_than && !options.finished) {
    return Error{Code::usage, "--older-than counts from a job's end", "add --finished"};
  }
  if (!options.jobs.empty() && options.chooses()) {
    return Error{Code::usage,
                 "jobs are chosen by name, or by --all, --finished and -l, not by both",
                 "leave out the names, or the flags"};
  }
  if (options.jobs.empty() && !options.chooses()) {
    return Error{Code::usage, "no job given",
                 "name jobs, or choose them by --finished, -l or --all"};
  }
  return {};
}

// The named jobs that exist; missing ones are reported at the end, unless that is not an error.
struct Named {
  std::vector<work::FoundJob> jobs;
  std::vector<Error> missing;
};

Result<Named> names_to_delete(Context& context, const DeleteOptions& options,
                              const job::Kind* kind) {
  Named named;
  for (const std::string& text : options.jobs) {
    TRY_ASSIGN(const job::JobRef ref, work::job_ref(text, kind));
    auto found = work::find_job_or_array(context, ref);
    if (!found && found.error().code == Code::not_found) {
      named.missing.push_back(std::move(found).error());
      continue;
    }
    if (!found) return std::move(found).error();
    for (work::FoundJob& job : *found) {
      if (!job.replica.empty()) {
        return Error{Code::usage, cat(text, " is a replica; delete removes whole jobs"),
                     cat("trainctl delete ", job.name())};
      }
      auto attempts = work::attempts_after(context, job);
      work::add_once(named.jobs, std::move(job));
      for (work::FoundJob& attempt : attempts) work::add_once(named.jobs, std::move(attempt));
    }
  }
  if (options.ignore_not_found) named.missing.clear();
  return named;
}

bool old_enough(const work::FoundJob& job, const DeleteOptions& options, Time now) {
  if (!options.older_than) return true;
  const auto end = parse_time(text_at(job.object, "/status/completionTime"));
  const auto known = end ? end : parse_time(text_at(job.object, "/metadata/creationTimestamp"));
  return known && now - *known >= *options.older_than;
}

Result<std::vector<work::FoundJob>> chosen_jobs(Context& context, const DeleteOptions& options,
                                                const job::Kind* kind) {
  TRY_ASSIGN(auto jobs, work::list_jobs(context, {kind, false, options.labels}));
  std::erase_if(jobs, [&](const work::FoundJob& job) {
    if (!options.finished) return false;
    const bool final = job::is_final(job::judge(*job.kind, job.object, {}, {}).phase);
    return !final || !old_enough(job, options, context.loop.now());
  });
  return jobs;
}

Result<bool> agreed(Context& context, const DeleteOptions& options,
                    const std::vector<work::FoundJob>& jobs) {
  if (!options.jobs.empty() || options.yes || options.dry_run) return true;
  std::vector<std::string> names;
  for (const work::FoundJob& job : jobs) names.push_back(job.name());
  auto answer = consented(context.console, context.loop, context.environment,
                          cat("Delete ", plural(static_cast<long>(jobs.size()), "job"),
                              " in namespace ", context.ns(), " (", some_of(names), ")"));
  if (!answer && ending_signal(answer.error().code) != nullptr) {
    return Error{answer.error().code, answer.error().message + "; nothing was deleted"};
  }
  // The cluster does not answer for the time that the user takes.
  context.begin_timeout(options.timeout, context.loop.now());
  return answer;
}

// A job that cannot be deleted does not prevent the deletion of the others.
Status remove_all(Context& context, const DeleteOptions& options, const Named& named) {
  const work::LimitedCalls limited(context);
  FirstError outcome(context.console);
  std::vector<const work::FoundJob*> going;
  const auto tell = [&](const work::FoundJob& job, Status removed) {
    const std::string name = work::resource_name(*job.kind, job.name());
    if (removed) {
      removed =
          context.console.out(name + (options.dry_run ? " deleted (dry run)\n" : " deleted\n"));
    }
    if (removed) going.push_back(&job);
    if (removed && !options.dry_run) work::note_deletion(context, job);
    outcome.note(std::move(removed));
  };
  if (options.dry_run) {
    for (const work::FoundJob& job : named.jobs) tell(job, {});
  } else {
    outcome.note(work::remove_jobs(context, named.jobs, tell));
  }
  for (const work::FoundJob* job : going) {
    if (!options.wait || options.dry_run) break;
    outcome.note(work::wait_until_gone(context, *job->kind, job->object));
  }
  for (const Error& missing : named.missing) outcome.note(missing);
  return std::move(outcome).outcome();
}

Result<Named> jobs_to_delete(Context& context, const DeleteOptions& options,
                             const job::Kind* kind) {
  context.begin_timeout(options.timeout, context.loop.now());
  const work::LimitedCalls limited(context);
  if (!options.jobs.empty()) return names_to_delete(context, options, kind);
  Named named;
  TRY_ASSIGN(named.jobs, chosen_jobs(context, options, kind));
  return named;
}

Status run_delete(const DeleteOptions& options, Context& context) {
  TRY(check_delete(options));
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  TRY_ASSIGN(const Named named, jobs_to_delete(context, options, kind));
  if (named.jobs.empty() && named.missing.empty()) {
    context.console.notice("no jobs to delete");
    return {};
  }
  TRY_ASSIGN(const bool may_delete, agreed(context, options, named.jobs));
  if (!may_delete) {
    context.console.notice("nothing deleted");
    return {};
  }
  return remove_all(context, options, named);
}

}  // namespace

Runner define_delete(const Definition& definition) {
  auto options = std::make_shared<DeleteOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB...", options->jobs, 0, k_any_number, "jobs to delete");
  bind("all", options->all);
  bind("selector", options->labels);
  bind("finished", options->finished);
  bind("older-than", options->older_than);
  add_kind_flag(bind, options->kind);
  bind("ignore-not-found", options->ignore_not_found);
  bind("wait", options->wait);
  bind("timeout", options->timeout);
  bind("dry-run", options->dry_run);
  bind("yes", options->yes);
  return [options](Context& context) {
    options->jobs = work::each_once(options->jobs);
    return run_delete(*options, context);
  };
}

}  // namespace trainctl::cli
