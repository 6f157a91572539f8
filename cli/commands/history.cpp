// `trainctl history [RUN]`: the runs that were submitted or followed from this machine.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/choices.h"
#include "cli/options/flags.h"
#include "cli/output/output.h"
#include "view/run_table.h"
#include "work/history/find_run.h"
#include "work/history/run_report.h"

namespace trainctl::cli {
namespace {

struct Options {
  std::vector<std::string> runs;
  std::optional<long> limit;
  Format output = Format::text;
  bool no_headers = false;
};

Status check(const Options& options) {
  if (options.output == Format::manifest && options.runs.empty()) {
    return Error{Code::usage, "-o manifest prints the manifest of one run",
                 "name it: trainctl history 12 -o manifest"};
  }
  return {};
}

Status list(const Options& options, Context& context) {
  TRY_ASSIGN(work::PastRuns * history, work::history_of(context));
  const auto limit = static_cast<std::size_t>(options.limit.value_or(0));
  TRY_ASSIGN(const auto runs, history->list({context.named_ns(), "", limit}));
  if (options.output != Format::text) {
    return print_data(context, options.output, work::run_report_list(runs));
  }
  if (runs.empty()) {
    context.console.notice("no runs yet; submit, logs -f and wait note theirs");
    return {};
  }
  return context.console.out(
      view::run_table(runs, context.loop.now(), context.console, !options.no_headers));
}

Result<std::vector<std::string>> earlier_runs(Context& context, const work::PastRun& run) {
  TRY_ASSIGN(work::PastRuns * history, work::history_of(context));
  TRY_ASSIGN(const auto namesakes, history->list({run.ns, run.name, 0}));
  std::vector<std::string> numbers;
  for (const work::PastRun& one : namesakes) {
    if (one.number < run.number) numbers.push_back(std::to_string(one.number));
  }
  return numbers;
}

Status show(const Options& options, Context& context) {
  TRY_ASSIGN(const work::PastRun run, work::find_run(context, options.runs.front()));
  if (options.output == Format::manifest) {
    if (!run.manifest.is_null()) return print_data(context, Format::yaml, run.manifest);
    return Error{Code::not_found, cat("the manifest of run ", run.number, " was too long to keep"),
                 cat("trainctl history ", run.number, " shows what is known of it")};
  }
  if (options.output != Format::text) {
    return print_data(context, options.output, work::run_report(run));
  }
  TRY_ASSIGN(const auto earlier, earlier_runs(context, run));
  TRY(context.console.out(
      view::run_description(run, earlier, context.loop.now(), context.console)));
  if (!run.manifest.is_null()) {
    context.console.notice(cat("its manifest: trainctl history ", run.number, " -o manifest"));
  }
  return {};
}

Status run(const Options& options, Context& context) {
  TRY(check(options));
  return options.runs.empty() ? list(options, context) : show(options, context);
}

}  // namespace

Runner define_history(const Definition& definition) {
  auto options = std::make_shared<Options>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "RUN", options->runs, 0, 1,
                  "number of a run, or name of a job for its newest run (default: list them)");
  refuse_below_one(bind("limit", options->limit));
  bind("output", options->output);
  bind("no-headers", options->no_headers);
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace trainctl::cli
