// `trainctl report`: one HTML file about a run, to attach to a ticket or a paper.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/commands/run_page.h"
#include "cli/options/bind.h"
#include "cli/output/following.h"
#include "cli/output/output.h"
#include "history/find_run.h"
#include "options/table/choices.h"
#include "report/html_report.h"
#include "work/find/default_job.h"
#include "work/find/job_lists.h"

namespace trainctl::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> jobs;
  std::string kind, output;
  job::MetricPatterns metrics;
};

// The page of a job is called like the job.
std::string output_of(const ReportOptions& options, const std::string& job) {
  if (!options.output.empty()) return options.output;
  const auto ref = work::job_ref(job, nullptr);
  return cat(ref ? ref->name : job, ".html");
}

Result<std::string> page_of_array(Context& context, const std::string& name,
                                  const std::vector<work::FoundJob>& jobs,
                                  const job::MetricPatterns& own) {
  TRY_ASSIGN(const auto states, work::judge_jobs(context, jobs));
  std::vector<view::RunPage> members;
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    members.push_back(view::as_member(page_of_member(context, jobs[at], states[at], own)));
  }
  return view::jobs_html(name, std::move(members));
}

// Of a job or an array that the cluster does not have any more.
Result<std::string> page_of_past(Context& context, const job::JobRef& ref,
                                 const job::MetricPatterns& own, Error gone) {
  if (gone.code != Code::not_found || !context.history) return gone;
  if (const auto newest = work::newest_run(context, ref)) {
    TRY_ASSIGN(const work::PastRun run, context.history->find(newest->number));
    return view::run_html(page_of_run(context, run, own));
  }
  std::vector<view::RunPage> members;
  for (const auto& member : work::runs_of_array(*context.history, context.ns(), ref.name)) {
    TRY_ASSIGN(const work::PastRun run, context.history->find(member.number));
    members.push_back(view::as_member(page_of_run(context, run, own)));
  }
  if (members.empty()) return gone;
  return view::jobs_html(ref.name, std::move(members));
}

Result<std::string> page_of(Context& context, const std::string& text, const job::Kind* kind,
                            const job::MetricPatterns& own) {
  // A number names a run of the history, unless there is none and a job has it for a name.
  if (const auto run = work::numbered_run(context, text)) {
    return view::run_html(page_of_run(context, *run, own));
  }
  TRY_ASSIGN(const job::JobRef ref, work::job_ref(text, kind));
  const auto snapshot = work::take_snapshot(context, text, kind);
  if (snapshot) {
    for (const auto* missing : {&snapshot->without_pods, &snapshot->without_events}) {
      if (*missing) context.console.warn(cat("the page is incomplete: ", (*missing)->message));
    }
    TRY_ASSIGN(const std::string replica, work::named_replica(snapshot->job));
    TRY_ASSIGN(const view::RunPage page, page_of_job(context, *snapshot, replica, own));
    return view::run_html(page);
  }
  if (snapshot.error().code != Code::usage)
    return page_of_past(context, ref, own, snapshot.error());
  TRY_ASSIGN(const auto jobs, work::find_job_or_array(context, ref));
  return page_of_array(context, ref.name, work::latest_runs(context, jobs), own);
}

Status run_report(const ReportOptions& options, Context& context) {
  if (!options.output.empty() && options.output != k_stdout) {
    TRY(check_place(context, "-o", options.output));
  }
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  TRY_ASSIGN(const auto names, work::jobs_or_newest(context, options.jobs, kind));
  TRY_ASSIGN(const std::string html, page_of(context, names.front(), kind, options.metrics));
  if (options.output == k_stdout) return context.console.out(html);
  const std::string output = output_of(options, names.front());
  TRY(context.files.write(output, html, Readers::owner_if_new));
  context.console.notice(cat("wrote ", printable_line(output)));
  return {};
}

std::string html_of_several(const std::string& title, const std::vector<PagePtr>& pages) {
  std::vector<view::RunPage> members;
  for (const PagePtr& page : pages) members.push_back(*page);
  return view::jobs_html(title, std::move(members));
}

}  // namespace

PageMaker page_maker() {
  const auto of_followed = [](Context& context, const work::FoundJob& job,
                              const job::FollowResult& result) -> PagePtr {
    return std::make_shared<view::RunPage>(page_of_followed(context, job, result));
  };
  const auto without_job = [](const Json& report) -> PagePtr {
    return std::make_shared<view::RunPage>(page_without_job(report));
  };
  const auto as_member = [](const PagePtr& page) -> PagePtr {
    return std::make_shared<view::RunPage>(view::as_member(*page));
  };
  return {of_followed, without_job, as_member, view::run_html, html_of_several};
}

Runner define_report(const Definition& definition) {
  auto options = std::make_shared<ReportOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB|RUN|ARRAY", options->jobs, 0, 1,
                  "job, number of a run of the history, or array; the newest job by default");
  add_kind_flag(bind, options->kind);
  bind("metric", options->metrics);
  bind("output", options->output);
  return [options](Context& context) { return run_report(*options, context); };
}

}  // namespace trainctl::cli
