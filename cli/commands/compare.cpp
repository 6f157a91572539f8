// `trainctl compare A B`: how two runs of the history differ.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "history/find_run.h"
#include "history/run_comparison.h"
#include "history/run_report.h"
#include "history/run_table.h"
#include "options/table/choices.h"

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

Status run_compare(const CompareOptions& options, Context& context) {
  if (options.runs.size() != 2) {
    return Error{Code::usage, "compare takes two runs",
                 "name them by number or job: trainctl compare 12 15; the curves of more, or of an "
                 "array: trainctl plot NAME..."};
  }
  TRY_ASSIGN(const work::PastRun a, work::find_run(context, options.runs[0]));
  TRY_ASSIGN(const work::PastRun b, work::find_run(context, options.runs[1]));
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
  return context.console.out(view::comparison_text(a, b, found, context.console));
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
