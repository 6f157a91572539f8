// Completes the options of following, and reports the result.
#include "cli/output/job_end.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "cli/command.h"
#include "cli/output/hint.h"
#include "cli/output/log_printing.h"
#include "cli/output/output.h"
#include "cli/output/record_history.h"
#include "follow/report.h"
#include "follow/verdict_words.h"
#include "kube/object/metadata.h"
#include "manifest/array.h"
#include "manifest/manifest.h"
#include "manifest/secrets.h"
#include "metrics/metric_words.h"
#include "status/reported.h"
#include "status/state.h"
#include "work/create/create.h"
#include "work/find/job_progress.h"
#include "work/find/lineage.h"
#include "work/find/queue_lookup.h"
#include "work/find/worker_cluster.h"
#include "work/notify/notify.h"

namespace trainctl::cli {
namespace {

constexpr int k_indent = 2;

// Runners kill soon after a limit or a signal, so that the files of reports come first. So they do
// when the cluster is unreachable: the limit may have been what ended the attempts.
constexpr Duration k_last_notices = std::chrono::seconds(5);

bool ended_by_limit(const Json& report) {
  const auto code = static_cast<Code>(int_at(report, "/verdict/exitStatus").value_or(0));
  return code == Code::timeout || code == Code::unreachable || ending_signal(code) != nullptr;
}

Status notify_target(Context& context, const std::string& target, const Json& report,
                     Duration longest = work::k_longest_notice) {
  if (!work::is_hook(target)) return work::run_notifier(context, target, report, longest);
  TRY_ASSIGN(const auto endpoint, work::hook_endpoint(context, target));
  TRY_ASSIGN(const auto transport, context.make_transport(endpoint));
  return work::post_notice(context.loop, *transport, target, report, longest);
}

// The array that all of these are of; "" when they are not of one.
std::string common_array(const std::vector<Json>& reports) {
  const std::string label = cat("/object", kube::label_pointer(job::k_label_array));
  const std::string first = text_at(reports.front(), label);
  const bool same = std::ranges::all_of(
      reports, [&](const Json& report) { return text_at(report, label) == first; });
  return same ? first : "";
}

// The job's object has the marks of the history, which tell different values apart.
Json as_files_keep(Context& context, const Json& report) {
  Json clean = job::report_without_secrets(report);
  const Json* const object = find(report, "/object");
  if (object == nullptr) return clean;
  const std::vector<std::string> values = job::credential_values(*object);
  clean["object"] = job::without_values(as_history_keeps(context, *object), values);
  return clean;
}

}  // namespace

void warn_of(Context& context, const Status& status) {
  if (!status) context.console.warn(status.error().message);
}

void notify(Context& context, const options::WaitFlags& flags, const Json& report) {
  if (job::is_retried(report) || flags.notify.empty() || ended_by_limit(report)) return;
  warn_of(context, notify_target(context, flags.notify, report));
}

void Reports::add(const job::Kind* kind, Json report, PagePtr page) {
  if (shape_ == Shape::attempts) {
    report["attempt"] = reports_.size() + 1;
    job::set_retried(report, job::is_retried(report));
  }
  if (!flags_.report.empty()) {
    const PageMaker& make = context_.commands.offers().page;
    if (page == nullptr) page = make.without_job(report);
    // The first may stay the only one.
    const bool is_member = shape_ == Shape::several && !pages_.empty();
    pages_.push_back(is_member ? make.as_member(page) : std::move(page));
  }
  kinds_.push_back(kind);
  reports_.push_back(std::move(report));
}

void Reports::settle_last(const Error* signal) {
  Json& report = reports_.back();
  job::set_retried(report, false);
  if (signal != nullptr) job::set_verdict(report, *signal);
  warn_of(context_, view::CiLog(context_, context_.ci).conclude(report));
  notify(context_, flags_, report);
}

Json Reports::single(std::span<const Json> reports) {
  Json report = reports.back();
  if (reports.size() > 1) {
    report["earlierAttempts"] = Json(std::vector<Json>(reports.begin(), reports.end() - 1));
  }
  return report;
}

void Reports::write() const {
  if (reports_.empty()) return;
  // They hold commands, and lines of logs.
  const auto write = [this](const std::string& path, const std::string& text) {
    warn_of(context_, context_.files.write(path, text, Readers::owner_if_new));
  };
  std::vector<Json> clean;
  for (const Json& report : reports_) clean.push_back(as_files_keep(context_, report));
  if (!flags_.result_file.empty()) {
    const Json whole = shape_ == Shape::several ? job::job_report_list(clean) : single(clean);
    write(flags_.result_file, dump(whole, k_indent) + '\n');
  }
  if (!flags_.junit.empty()) write(flags_.junit, job::junit_xml(clean));
  if (!flags_.report.empty()) write(flags_.report, page());
  notify_of_limits();
}

void Reports::set_outputs(const Status& outcome) const {
  const bool are_attempts = shape_ == Shape::attempts && !reports_.empty();
  const std::span<const Json> all = reports_;
  warn_of(
      context_,
      view::CiLog(context_, context_.ci).set_outputs(are_attempts ? all.last(1) : all, outcome));
}

void Reports::notify_of_limits() const {
  if (flags_.notify.empty()) return;
  const Time end = context_.loop.now() + k_last_notices;
  for (const Json& report : reports_) {
    if (!ended_by_limit(report) || job::is_retried(report)) continue;
    const Duration left = end - context_.loop.now();
    if (left <= Duration{}) return context_.console.warn("--notify: no time was left for it");
    warn_of(context_, notify_target(context_, flags_.notify, report, left));
  }
}

std::string Reports::page() const {
  const bool is_of_one = shape_ != Shape::several || pages_.size() == 1;
  const PageMaker& make = context_.commands.offers().page;
  if (is_of_one) return make.html(*pages_.back());
  const std::string array = common_array(reports_);
  const auto count = static_cast<long>(pages_.size());
  return make.html_of_several(array.empty() ? plural(count, "job") : array, pages_);
}

std::string Reports::summary() const {
  if (shape_ != Shape::several || reports_.size() < 2) return "";
  std::vector<std::string> others;
  bool have_failed = true;  // so that --failed means them all
  for (const Json& report : reports_) {
    const bool is_of_array = std::ranges::find(arrays_, text_at(report, "/name")) != arrays_.end();
    if (is_of_array || int_at(report, "/verdict/exitStatus") == 0) continue;
    others.push_back(text_at(report, "/name"));
    have_failed = have_failed && text_at(report, "/phase") == job::phase_name(job::Phase::failed);
  }
  const auto count = static_cast<long>(reports_.size() - arrays_.size());
  if (others.empty()) return cat(arrays_.empty() ? "all " : "", plural(count, "job"), " succeeded");
  const std::string array = have_failed ? common_array(reports_) : "";
  const std::string again =
      with_cluster_flags(cat("trainctl rerun ", array, " --failed"), context_);
  return cat(count - static_cast<long>(others.size()), " of ", plural(count, "job"),
             " succeeded; the others: ", some_of(others),
             array.empty() ? "" : cat(" (to rerun: ", again, ")"));
}

std::string Reports::best() const {
  return shape_ == Shape::several ? job::best_job(reports_) : "";
}

Status Reports::print(options::Format format) const {
  if (!is_job_format(format)) return {};
  const bool as_list = format == options::Format::json || format == options::Format::yaml;
  if (shape_ == Shape::several && as_list) {
    return print_data(context_, format, job::job_report_list(reports_));
  }
  if (shape_ == Shape::attempts) {
    return reports_.empty() ? Status()
                            : print_report(context_, format, *kinds_.back(), single(reports_));
  }
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    if (find(reports_[i], "/object") == nullptr) continue;  // there is no job to print
    TRY(print_report(context_, format, *kinds_[i], reports_[i]));
  }
  return {};
}

namespace {

constexpr Duration k_successor_time =
    std::chrono::seconds(5);  // to look for the job that replaced one
constexpr Duration k_worker_time = std::chrono::seconds(10);  // to find a job's worker cluster

// `local down` fails a replica that may not run again, and its job with it.
bool has_failed_with_cluster(const Context& context, const job::Kind& kind,
                             const job::FollowResult& result) {
  const Status& verdict = result.outcome.verdict;
  if (verdict || !context.embedded || !context.embedded->was_stopped(verdict.error())) return false;
  const auto replicas = job::replicas_of(kind, result.job);
  return std::ranges::any_of(replicas, [](const job::Replica& replica) {
    return job::restart_policy_of(replica) == "Never";
  });
}

// Says whether a job was given up and keeps running. A command that checks once without waiting, or
// waits for the job's deletion, has not given it up.
bool stays(const Context& context, const job::Kind& kind, const job::FollowOptions& options,
           const job::FollowResult& result) {
  const bool looked = context.deadline && context.deadline->looks_once();
  if (looked || result.deleted() || options.goal.wait_for == job::WaitFor::deleted) return false;
  return result.given_up && !has_failed_with_cluster(context, kind, result);
}

Status final_word(const Context& context, const job::Kind& kind, const std::string& name,
                  const job::FollowResult& result) {
  const Status& verdict = result.outcome.verdict;
  if (!has_failed_with_cluster(context, kind, result)) return verdict;
  return Error{
      verdict.error().code, verdict.error().message,
      cat("the job failed when the embedded cluster stopped, since its restart policy is Never; "
          "its logs are kept: trainctl logs ",
          name)};
}

// A job that was deleted may have been replaced by somebody who submitted it again.
Error naming_the_successor(Context& context, const work::FoundJob& job, Error removed) {
  const auto client = context.client();
  if (!client) return removed;
  const work::LimitedCalls limited(context, deadline_after(k_successor_time, context.loop.now()));
  auto now = (*client)->get(job.kind->resource, job.ns(), job.name());
  if (!now || text_at(*now, "/metadata/uid") == job.uid()) return removed;
  removed.message += cat("; a new job has its name (",
                         work::describe_namesake(context, {job.kind, *std::move(now), ""}), ")");
  removed.hint = cat("follow the new one: trainctl logs -f ", job.name());
  return removed;
}

}  // namespace

namespace {

// Exit status 0 says that the program ended well, not that it learned something. A command that
// reads no logs looks for the metrics once the job has succeeded.
void judge_metrics(Context& context, const work::FoundJob& job, const options::WaitFlags& flags,
                   const job::FollowOptions& options, job::FollowResult& result) {
  Status& verdict = result.outcome.verdict;
  const bool is_of_success = options.goal.wait_for == job::WaitFor::verdict ||
                             options.goal.wait_for == job::WaitFor::succeeded;
  if (!verdict || !is_of_success || result.state.phase != job::Phase::succeeded) return;
  job::MetricRecord& metrics = result.outcome.metrics;
  if (options.logs.selection.none) {
    auto found = work::metrics_of_one(context, job, result.state);
    if (found) metrics = *std::move(found);
  }
  const std::string words = job::not_finite_words(metrics);
  if (words.empty()) return;
  if (flags.fail_on_nan) {
    verdict = job::failed_on_nan(job.name(), words);
  } else {
    context.console.warn(job::succeeded_not_finite(job.name(), words));
  }
}

// Following goes on without the lines that cannot be had.
std::optional<job::WorkerPods> without_lines(Context& context, const std::string& name,
                                             const Error& why) {
  const bool may_come = why.code == Code::not_started || why.code == Code::not_found;
  if (may_come || ending_signal(why.code) != nullptr) return std::nullopt;
  const bool is_unreachable = why.code == Code::unreachable || why.code == Code::timeout;
  const std::string hint = is_unreachable || why.hint.empty() ? "" : cat("; ", why.hint);
  context.console.warn(
      cat("the verdict of ", name, " is followed, but not its lines: ", why.message, hint));
  return job::WorkerPods{};
}

// Lets a job that MultiKueue has dispatched be followed where its pods are.
void follow_at_worker(Context& context, const work::FoundJob& job, job::FollowOptions& options) {
  if (!job::is_dispatched(job.object)) return;
  const auto worker = std::make_shared<std::string>();
  options.find_worker = [&context, kind = job.kind,
                         worker](const Json& object) -> std::optional<job::WorkerPods> {
    const work::FoundJob known{kind, object, ""};
    const work::LimitedCalls limited(context, deadline_after(k_worker_time, context.loop.now()));
    auto found = work::find_at_worker(context, known);
    if (!found) return without_lines(context, known.name(), found.error());
    if (!*found) return std::nullopt;
    *worker = (*found)->worker;
    return job::WorkerPods{(*found)->client, std::move((*found)->job)};
  };
  if (!options.stall.look) return;
  options.stall.look = [&context, worker, look = std::move(options.stall.look)](
                           const Json& object, std::span<const Json> pods, Duration longest,
                           auto on_end) {
    if (!worker->empty()) warn_of(context, context.enter_worker(*worker));
    HandlePtr looking = look(object, pods, longest, std::move(on_end));
    context.leave_worker();
    return looking;
  };
}

}  // namespace

Error with_runnable_hint(const Context& context, Error error) {
  error.hint = with_cluster_flags(error.hint, context);
  return error;
}

void prepare(Context& context, const work::FoundJob& job, const options::WaitFlags& flags,
             const std::string& save_logs, job::FollowOptions& options) {
  options.runnable = [&context](const std::string& hint) {
    return with_cluster_flags(hint, context);
  };
  job::StallRules& stall = options.stall;
  if (stall.after <= Duration{}) stall.after.reset();
  stall.advice = options.runnable(cat("trainctl doctor ", job.name()));
  stall.looks_at_end = !flags.result_file.empty();
  const auto& probe = context.commands.offers().probe.while_following;
  if (probe) stall.look = probe(context, *job.kind, options.logs.selection.container);
  if (!options.logs.selection.none) follow_at_worker(context, job, options);
  options.deadline = context.deadline;
  options.logs.places = log_places(context, save_logs);
  keep_log(context, job, flags, options);
  if (context.embedded) context.embedded->set_following(job.uid(), options);
}

void warn_of_missed_queue(Context& context, const work::FoundJob& job) {
  const std::string queue = job::queue_of(job.object);
  const bool is_held = true_at(job.object, job.kind->controller.suspend);
  if (queue.empty() || is_held || job::has_ended(*job.kind, job.object)) return;
  const auto client = context.client();
  if (!client) return;
  const work::LimitedCalls limited(context);
  const auto workload = work::find_workload(**client, job);
  if (workload || workload.error().code != Code::not_found) return;
  context.console.warn(cat("queue ", printable_line(queue), " did not admit ", job.name(), ": ",
                           workload.error().message, "; it runs without waiting in the queue"));
}

Json report_without(Context& context, const JobTarget& job, const Error& why) {
  const job::Outcome outcome{why, job.since, context.loop.now(), {}, {}};
  Json report = job::report_without_job(job.kind, job.ns, job.name, outcome);
  if (!job.labels.empty()) report["selector"] = job.labels;
  return report;
}

Json report_missing_job(Context& context, const JobTarget& job, const options::WaitFlags& flags,
                        const Error& why) {
  const Json report = report_without(context, job, why);
  notify(context, flags, report);
  warn_of(context, view::CiLog(context, context.ci).conclude(report));
  return report;
}

FollowOutcome end_of(Context& context, const work::FoundJob& job, const std::string& name,
                     const job::FollowOptions& options, const options::WaitFlags& flags,
                     job::FollowResult& result, const std::string& save_logs, view::CiLog& ci,
                     const Retries& retries) {
  Status& verdict = result.outcome.verdict;
  if (!verdict && verdict.error().code == Code::removed) {
    verdict = naming_the_successor(context, job, std::move(verdict).error());
  }
  judge_metrics(context, job, flags, options, result);
  if (!verdict) verdict = with_runnable_hint(context, std::move(verdict).error());
  if (!flags.history.none) note_followed(context, job, result, options, save_logs);
  const Json& object = result.job.is_object() ? result.job : job.object;
  FollowOutcome ended;
  ended.report =
      job::job_report(*job.kind, object, result.state, {&result.outcome, nullptr, &result.inside});
  if (retries && retries(result)) job::set_retried(ended.report, true);
  if (!flags.report.empty()) {
    ended.page = context.commands.offers().page.of_followed(context, job, result);
  }
  ended.stays = !verdict && stays(context, *job.kind, options, result);
  ended.verdict = ended.stays ? verdict : final_word(context, *job.kind, name, result);
  notify(context, flags, ended.report);
  warn_of(context, ci.conclude(ended.report));
  return ended;
}

void tell_of_later_run(Context& context, const work::FoundJob& job, const Status& verdict) {
  const bool has_failed = !verdict && verdict.error().code == Code::job_failed;
  if (!has_failed || !job::has_ended(*job.kind, job.object)) return;
  const work::LimitedCalls limited(context, deadline_after(k_successor_time, context.loop.now()));
  const auto later = work::find_later_run(context, job);
  if (!later) return;
  context.console.notice(with_cluster_flags(
      cat("job ", job.name(), ' ', work::words_of(*later), ": trainctl why ", later->name),
      context));
}

}  // namespace trainctl::cli
