// `trainctl describe`: shows everything about one job, or several, each on one screen.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "follow/report.h"
#include "options/table/choices.h"
#include "view/description.h"
#include "work/find/default_job.h"
#include "work/find/job_lists.h"
#include "work/find/job_progress.h"

namespace trainctl::cli {
namespace {

struct DescribeOptions {
  std::vector<std::string> jobs;
  std::string kind;
  options::Format output = options::Format::text;
};

struct Described {
  work::JobSnapshot snapshot;
  job::MetricRecord metrics;
};

Result<Described> describe(Context& context, const std::string& name, const job::Kind* kind) {
  TRY_ASSIGN(work::JobSnapshot snapshot, work::take_snapshot(context, name, kind));
  TRY(work::named_replica(snapshot.job));
  for (const auto* missing : {&snapshot.without_pods, &snapshot.without_events}) {
    if (!*missing) continue;
    context.console.warn(
        cat("described without the ",
            missing == &snapshot.without_pods ? "pods: " : "events: ", (*missing)->message));
  }
  TRY_ASSIGN(job::MetricRecord metrics,
             work::metrics_of_one(context, snapshot.job, snapshot.state));
  return Described{std::move(snapshot), std::move(metrics)};
}

Json report_of(const Described& described) {
  const auto events = job::merged(described.snapshot.events);
  return job::job_report(*described.snapshot.job.kind, described.snapshot.job.object,
                         described.snapshot.state,
                         {.events = described.snapshot.without_events ? nullptr : &events,
                          .metrics = &described.metrics});
}

Status print(Context& context, const DescribeOptions& options, const std::vector<Described>& all) {
  if (options.output != options::Format::text) {
    std::vector<Json> reports;
    for (const Described& each : all) reports.push_back(report_of(each));
    return print_data(
        context, options.output,
        reports.size() == 1 ? reports.front() : job::job_report_list(std::move(reports)));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) TRY(context.console.out("\n"));
    TRY(context.console.out(
        view::description(viewer_of(context), all[i].snapshot, all[i].metrics)));
  }
  return {};
}

// A missing job does not hide the others, but decides the exit status.
Status run_describe(const DescribeOptions& options, Context& context) {
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  TRY_ASSIGN(std::vector<std::string> names, work::jobs_or_newest(context, options.jobs, kind));
  std::vector<Described> all;
  Status missing;
  for (std::size_t at = 0; at < names.size(); ++at) {
    auto described = describe(context, names[at], kind);
    if (described) {
      all.push_back(*std::move(described));
    } else if (work::add_members(context, names, at, kind, described.error())) {
      continue;
    } else if (described.error().code != Code::not_found || names.size() == 1) {
      return std::move(described).error();
    } else if (missing) {
      missing = std::move(described).error();
    } else {
      context.console.warn(described.error().message);
    }
  }
  if (!all.empty()) TRY(print(context, options, all));
  return missing;
}

}  // namespace

Runner define_describe(const Definition& definition) {
  auto options = std::make_shared<DescribeOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB...", options->jobs, 0, k_any_number,
                  "jobs to describe, or pods of them; the newest one by default");
  add_kind_flag(bind, options->kind);
  bind("output", options->output);
  return [options](Context& context) {
    options->jobs = work::each_once(options->jobs);
    return run_describe(*options, context);
  };
}

}  // namespace trainctl::cli
