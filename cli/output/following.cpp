// Reports of a followed job: result file, JUnit, CI, stdout; and what --on-timeout and
// --on-interrupt ask for.
#include "cli/output/following.h"

#include "base/text.h"
#include "cli/jobs/removal.h"
#include "cli/output/ci.h"
#include "cli/output/output.h"
#include "job/follow/junit.h"

namespace trainctl::cli {
namespace {

constexpr int k_indent = 2;

// A verdict is worth more than the trouble of writing it down; without one the trouble counts.
class FirstTrouble {
 public:
  explicit FirstTrouble(Console& console) : console_(console) {}
  void note(Status status) {
    if (status) return;
    console_.warn(status.error().message);
    if (!trouble_) trouble_ = std::move(status).error();
  }
  Status or_verdict(Status verdict) const {
    return verdict && trouble_ ? Status(*trouble_) : std::move(verdict);
  }

 private:
  Console& console_;
  std::optional<Error> trouble_;
};

bool ends_the_job(const Status& verdict, const WaitFlags& flags) {
  if (verdict) return false;
  const Code code = verdict.error().code;
  if (code == Code::timeout) return flags.on_timeout == "delete";
  const bool interrupted = code == Code::interrupted || code == Code::terminated;
  return interrupted && flags.on_interrupt == "cancel";
}

Error told_with_removal(Error verdict, const FoundJob& job) {
  const bool timeout = verdict.code == Code::timeout;
  if (!timeout) verdict.message = verdict.code == Code::interrupted ? "interrupted" : "terminated";
  verdict.message += cat("; job ", job.name(), " is deleted (",
                         timeout ? "--on-timeout=delete" : "--on-interrupt=cancel", ")");
  verdict.hint.clear();
  return verdict;
}

// Wherever they were asked for.
void leave_reports(Context& context, const WaitFlags& flags, const Json& report, CiLog& ci,
                   FirstTrouble& trouble) {
  if (!flags.result_file.empty()) {
    trouble.note(context.files.write(flags.result_file, dump(report, k_indent) + '\n'));
  }
  if (!flags.junit.empty()) {
    trouble.note(context.files.write(flags.junit, job::junit_xml(report)));
  }
  trouble.note(ci.conclude(report));
}

}  // namespace

Status check_following(Context& context, const WaitFlags& flags, const std::string& save_logs) {
  if (!flags.result_file.empty() && flags.result_file == flags.junit) {
    return Error{Code::usage, "--result-file and --junit both write to " + flags.junit,
                 "give them different files"};
  }
  if (!save_logs.empty() && !context.files.list(save_logs).empty()) {
    return Error{Code::usage, cat("--save-logs: there are files in ", save_logs, " already"),
                 "name a new directory, or empty this one"};
  }
  return {};
}

void set_places(Context& context, const std::string& save_logs, job::FollowOptions& options) {
  const std::string temporary = context.environment.text("TMPDIR");
  if (!temporary.empty()) options.spool_directory = temporary;
  if (save_logs.empty()) return;
  options.save = [&files = context.files, save_logs](const std::string& name,
                                                     std::string_view bytes) {
    return files.append(resolve_path(save_logs, name), bytes);
  };
}

Status follow_job(Context& context, const FoundJob& job, job::FollowOptions options,
                  const WaitFlags& flags, const std::string& save_logs, const std::string& output,
                  std::unique_ptr<job::JobPods> pods) {
  TRY_ASSIGN(kube::Client * client, context.client());
  options.timeout = flags.timeout;
  options.start_timeout = flags.start_timeout;
  options.fail_fast = flags.fail_fast;
  options.events = flags.events;
  set_places(context, save_logs, options);
  CiLog ci(context, ci_system(flags.ci, context.environment));
  if (!options.selection.none) ci.begin_lines(job.name());
  options.on_lines_done = [&ci] { ci.end_lines(); };
  job::KnownJob known{job.ns(), job.name(), job.uid(), job.object, std::move(pods)};
  job::FollowResult result =
      job::follow_job(*client, context.console, *job.kind, std::move(known), options);

  FirstTrouble trouble(context.console);
  Status& verdict = result.outcome.verdict;
  if (ends_the_job(verdict, flags)) {
    Status removed = remove_job(context, *job.kind, job.object);
    if (removed) verdict = told_with_removal(std::move(verdict).error(), job);
    trouble.note(std::move(removed));
  }
  const Json& object = result.job.is_object() ? result.job : job.object;
  const Json report = job::job_report(*job.kind, object, result.state, {&result.outcome, nullptr});
  leave_reports(context, flags, report, ci, trouble);
  if (!output.empty()) trouble.note(print_report(context, output, *job.kind, report));
  return trouble.or_verdict(std::move(verdict));
}

Error give_up(Context& context, const SoughtJob& job, const WaitFlags& flags, Error why) {
  if (why.code == Code::usage) return why;
  CiLog ci(context, ci_system(flags.ci, context.environment));
  FirstTrouble trouble(context.console);
  const job::Outcome outcome{why, job.since, context.loop.now(), {}, {}};
  leave_reports(context, flags, job::report_without_job(job.kind, job.ns, job.name, outcome), ci,
                trouble);
  return why;
}

}  // namespace trainctl::cli
