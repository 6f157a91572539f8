// `trainctl why`: says in five lines why a job does not run, or how it ended, and what to type
// next.
#include <memory>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/explaining.h"
#include "cli/output/first_error.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "history/find_run.h"
#include "history/run_report.h"
#include "history/run_table.h"
#include "options/table/choices.h"
#include "view/explanation.h"
#include "work/find/default_job.h"
#include "work/find/job_lists.h"
#include "work/find/job_progress.h"

namespace trainctl::cli {
namespace {

struct WhyOptions {
  std::vector<std::string> jobs;
  std::string kind, labels;
  options::Format output = options::Format::text;
};

Status check_why(const WhyOptions& options) {
  TRY(work::check_choice(options.jobs, options.labels));
  const bool one = options.jobs.size() <= 1 && options.labels.empty();
  if (one || options.output == options::Format::text) return {};
  return Error{Code::usage,
               cat("-o ", word_of(options::k_all_formats, options.output),
                   " explains one job, but several are named"),
               "run the command once for each job"};
}

Result<std::vector<std::string>> chosen_jobs(const WhyOptions& options, Context& context,
                                             const job::Kind* kind) {
  if (options.labels.empty()) return work::jobs_or_newest(context, options.jobs, kind);
  TRY_ASSIGN(const auto found, work::labelled_jobs(context, kind, options.labels));
  std::vector<std::string> names;
  for (const work::FoundJob& job : found) names.push_back(cat(job.kind->alias, "/", job.name()));
  return names;
}

// The state of the output when several jobs are explained.
struct Printed {
  std::string_view before;  // stands between two explanations
  bool is_array = false;    // members that succeeded are only named, at the end
  std::vector<std::string> succeeded;
};

Status explain_snapshot(const WhyOptions& options, Context& context,
                        const work::JobSnapshot& snapshot, Printed& printed) {
  TRY(work::named_replica(snapshot.job));
  for (const auto* missing : {&snapshot.without_pods, &snapshot.without_events}) {
    if (*missing)
      context.console.warn(cat("this explanation may be incomplete: ", (*missing)->message));
  }
  const job::JobState& state = snapshot.state;
  TRY_ASSIGN(Explained explained, explain_now(context, snapshot));
  TRY_ASSIGN(const job::MetricRecord metrics, work::metrics_of_one(context, snapshot.job, state));
  view::add_training(metrics, state, explained.why);
  const bool is_only_named = printed.is_array && state.phase == job::Phase::succeeded &&
                             explained.why.details.empty() && metrics.not_finite() == nullptr;
  if (is_only_named) {
    printed.succeeded.push_back(snapshot.job.name());
    return {};
  }
  if (options.output != options::Format::text) {
    return print_data(
        context, options.output,
        view::explanation_report(viewer_of(context), snapshot, explained.why, explained.queue));
  }
  return context.console.out(
      cat(std::exchange(printed.before, "\n"),
          view::explanation_text(viewer_of(context), snapshot, explained.why)));
}

// Says of a run that the cluster has no more how it ended.
Status explain_run(const WhyOptions& options, Context& context, const work::PastRun& run,
                   Printed& printed) {
  if (options.output != options::Format::text) {
    return print_data(context, options.output, work::run_report(run));
  }
  TRY(context.console.out(
      cat(std::exchange(printed.before, "\n"),
          view::run_description(run, {}, context.loop.now(), context.console))));
  context.console.notice(cat("its log, where the history kept it: trainctl logs ", run.number));
  return {};
}

// The same of a job that is known by its name; `gone` says that the cluster does not have it.
Status explain_gone(const WhyOptions& options, Context& context, const job::JobRef& job,
                    Printed& printed, Error gone) {
  if (gone.code != Code::not_found || !context.history) return gone;
  const auto newest = work::newest_run(context, job);
  if (!newest) return work::naming_past_members(context, job, "why", std::move(gone));
  TRY_ASSIGN(const work::PastRun run, context.history->find(newest->number));
  context.console.notice(
      cat("job ", job.name, " is gone: this is run ", run.number, " of the history"));
  return explain_run(options, context, run, printed);
}

Status explain_job(const WhyOptions& options, Context& context, const std::string& name,
                   const job::Kind* kind, Printed& printed) {
  auto snapshot = work::take_snapshot(context, name, kind);
  if (snapshot) return explain_snapshot(options, context, *snapshot, printed);
  TRY_ASSIGN(const job::JobRef job, work::job_ref(name, kind));
  return explain_gone(options, context, job, printed, std::move(snapshot).error());
}

Status explain(const WhyOptions& options, Context& context, const std::string& name,
               const job::Kind* kind, Printed& printed) {
  const auto run = work::numbered_run(context, name);
  if (!run) return explain_job(options, context, name, kind, printed);
  const auto job = work::find_present_run(context, *run);
  if (!job) return explain_run(options, context, *run, printed);
  return explain_job(options, context, job->name(), job->kind, printed);
}

Status run_why(const WhyOptions& options, Context& context) {
  TRY(check_why(options));
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  TRY_ASSIGN(auto names, chosen_jobs(options, context, kind));
  FirstError outcome(context.console);
  Printed printed;
  for (std::size_t at = 0; at < names.size(); ++at) {
    Status explained = explain(options, context, names[at], kind, printed);
    if (!explained && options.output == options::Format::text &&
        work::add_members(context, names, at, kind, explained.error())) {
      printed.is_array = true;
      continue;
    }
    outcome.note(std::move(explained));
  }
  if (!printed.succeeded.empty()) {
    outcome.note(
        context.console.out(cat(printed.before, plural(std::ssize(printed.succeeded), "job"),
                                " succeeded: ", some_of(printed.succeeded), '\n')));
  }
  return std::move(outcome).outcome();
}

}  // namespace

Runner define_why(const Definition& definition) {
  auto options = std::make_shared<WhyOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB...", options->jobs, 0, k_any_number,
                  "jobs, or pods of them; the newest one by default");
  bind("selector", options->labels);
  add_kind_flag(bind, options->kind);
  bind("output", options->output);
  return [options](Context& context) {
    options->jobs = work::each_once(options->jobs);
    return run_why(*options, context);
  };
}

}  // namespace trainctl::cli
