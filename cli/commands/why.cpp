// `trainctl why`: says in five lines why a job does not run, or how it ended, and what to type
// next.
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/jobs/default_job.h"
#include "cli/options/flags.h"
#include "cli/output/explanation.h"
#include "cli/output/output.h"

namespace trainctl::cli {
namespace {

struct Options {
  std::vector<std::string> jobs;
  std::string kind, output;
};

Status run(const Options& options, Context& context) {
  TRY_ASSIGN(const job::Kind* kind, kind_flag(options.kind));
  TRY_ASSIGN(const auto names, jobs_or_newest(context, options.jobs, kind));
  TRY_ASSIGN(const JobSnapshot look, take_snapshot(context, names.front(), kind));
  for (const auto* missing : {&look.without_pods, &look.without_events}) {
    if (*missing)
      context.console.warn(cat("explained without all evidence: ", (*missing)->message));
  }
  const job::JobState state =
      job::judge(*look.job.kind, look.job.object, look.pods, look.raw_events);
  std::optional<QueueLookup> queue;
  if (state.phase == job::Phase::queued) {
    TRY_ASSIGN(queue, look_up_queue(context, look.job));
  }
  const Explanation why = explain(look, state, queue, context.loop.now());
  if (!options.output.empty()) {
    return print_data(context, options.output, explanation_report(look, state, why, queue));
  }
  return context.console.out(explanation_text(context, look, state, why));
}

}  // namespace

Runner define_why(const Definition& definition) {
  auto options = std::make_shared<Options>();
  const FlagAdder which{definition.app, "Which job"};
  which.positional("JOB", options->jobs, 0, 1, "job, or pod of it; the newest one by default");
  add_kind_flag(which, options->kind, "the job's kind, where names are ambiguous");
  const FlagAdder output{definition.app, "Output"};
  output.choice("-o,--output", options->output, {"json", "yaml"}, "the explanation as data");
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace trainctl::cli
