// `trainctl compare A B`: how two runs of the history differ.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/metric_sources.h"
#include "cli/output/output.h"
#include "history/find_run.h"
#include "history/run_comparison.h"
#include "history/run_report.h"
#include "history/run_table.h"
#include "metrics/metric_json.h"
#include "options/table/choices.h"
#include "status/judgement.h"
#include "work/find/job_lists.h"

namespace trainctl::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> runs;
  options::Format output = options::Format::text;
};

Json report_without_manifest(work::PastRun run) {
  run.manifest = Json();
  return work::run_report(run);
}

Json comparison_report(const work::PastRun& a, const work::PastRun& b,
                       const std::vector<work::Difference>& found) {
  Json list = Json::array();
  for (const work::Difference& one : found) {
    list.push_back({{"path", one.path}, {"a", one.a}, {"b", one.b}});
  }
  return {{"apiVersion", "trainctl/v1"},
          {"kind", "RunComparison"},
          {"a", report_without_manifest(a)},
          {"b", report_without_manifest(b)},
          {"differences", std::move(list)}};
}

struct Compared {
  work::PastRun run;
  std::optional<job::Phase> phase = {};  // of its job, where that still exists
};

// Only a command that followed the run knows its exit status, and all metrics that it printed.
bool may_be_outdated(const work::PastRun& run) {
  const bool was_followed = run.exit_status.has_value();
  return run.verdict.empty() || run.metrics_end_early() || (run.metrics.is_null() && !was_followed);
}

// A run that nobody followed: where its job still exists, the end and the metrics are those of the
// job, as in `plot`.
Compared up_to_date(Context& context, work::PastRun run) {
  Compared compared{std::move(run)};
  if (!may_be_outdated(compared.run)) return compared;
  const work::LimitedCalls limited(context);
  const auto job = work::find_present_run(context, compared.run);
  if (!job) return compared;
  // The history learns of the job's end.
  const auto snapshot =
      work::take_snapshot(context, cat(job->kind->alias, '/', job->name()), job->kind);
  const auto client = context.client();
  if (!snapshot || !client) return compared;
  compared.phase = snapshot->state.phase;
  const auto source =
      metrics_of_pods(context, **client, snapshot->job, snapshot->pods, snapshot->state, {});
  auto noted = context.history->find(compared.run.number);
  if (noted) compared.run = *std::move(noted);
  if (!source || source->record.empty()) return compared;
  compared.run.metrics = job::metrics_json(source->record, true);
  if (source->is_live() || source->ends_early) compared.run.metrics["endsEarly"] = true;
  return compared;
}

std::string verdict_of(const Compared& one) {
  if (!one.run.verdict.empty()) return one.run.verdict;
  return one.phase ? lower(job::phase_name(*one.phase)) : "not followed";
}

// Says in place of a dash why there is no verdict.
std::vector<work::Difference> with_verdicts(std::vector<work::Difference> found, const Compared& a,
                                            const Compared& b) {
  for (work::Difference& one : found) {
    if (one.path == "verdict") one = {one.path, verdict_of(a), verdict_of(b)};
  }
  return found;
}

Status run_compare(const CompareOptions& options, Context& context) {
  if (options.runs.size() != 2) {
    return Error{Code::usage, "compare takes two runs",
                 "name them by number or job: trainctl compare 12 15; the curves of more, or of an "
                 "array: trainctl plot NAME..."};
  }
  TRY_ASSIGN(work::PastRun found_a, work::find_run(context, options.runs[0]));
  TRY_ASSIGN(work::PastRun found_b, work::find_run(context, options.runs[1]));
  const Compared compared_a = up_to_date(context, std::move(found_a));
  const Compared compared_b = up_to_date(context, std::move(found_b));
  const work::PastRun& a = compared_a.run;
  const work::PastRun& b = compared_b.run;
  const std::vector<work::Difference> found = view::run_differences(a, b);
  if (a.manifest.is_null() || b.manifest.is_null()) {
    context.console.warn(cat("the manifest of run ", a.manifest.is_null() ? a.number : b.number,
                             " was too long to keep: flags are not compared"));
  }
  if (options.output != options::Format::text) {
    return print_data(context, options.output, comparison_report(a, b, found));
  }
  if (found.empty()) {
    context.console.notice(cat("runs ", a.number, " and ", b.number, " are the same"));
    return {};
  }
  return context.console.out(
      view::comparison_text(a, b, with_verdicts(found, compared_a, compared_b), context.console));
}

}  // namespace

Runner define_compare(const Definition& definition) {
  auto options = std::make_shared<CompareOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "RUN RUN", options->runs, 0, k_any_number,
                  "numbers of runs, or names of jobs for their newest runs");
  bind("output", options->output);
  return [options](Context& context) { return run_compare(*options, context); };
}

}  // namespace trainctl::cli
