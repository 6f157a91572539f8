// Follows, and leaves reports: files, CI, stdout.
#include "cli/output/following.h"

#include <algorithm>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "cli/output/job_end.h"
#include "cli/output/log_printing.h"
#include "follow/follow.h"
#include "work/notify/notify.h"

namespace trainctl::cli {
namespace {

// Each job takes some watches of the server. Further jobs wait for their turn, which loses nothing:
// a verdict does not change.
constexpr std::size_t k_most_at_once = 100;

// Adds to the hint how to delete the jobs that remain.
Error with_remaining_jobs(const std::vector<std::string>& names, const options::WaitFlags& flags,
                          Error error) {
  const bool one = names.size() == 1;
  const bool tells_it = one && error.hint.find("trainctl delete ") != std::string::npos &&
                        error.hint.find(" " + names.front()) != std::string::npos;
  if (names.empty() || tells_it) return error;
  error.hint += cat(
      error.hint.empty() ? "" : "\n",
      one ? "the job remains" : cat("the jobs ", join(names, ", "), " remain"),
      " in the cluster: trainctl delete ", join(names, " "), one ? " deletes it" : " deletes them",
      flags.on_give_up == options::OnGiveUp::remove ? ""
                                                    : "; next time, --on-give-up=delete does so");
  return error;
}

}  // namespace

Status follow_job(Context& context, const work::FoundJob& job, job::FollowOptions options,
                  const options::WaitFlags& flags, const std::string& save_logs,
                  options::Format output, std::unique_ptr<job::PodWatch> pods) {
  TRY_ASSIGN(kube::Client * client, context.client());
  FollowOutcome ended = follow_one(context, *client, context.console, job, std::move(options),
                                   flags, save_logs, std::move(pods));
  Reports reports(context, flags, Reports::Shape::one_job);
  reports.add(job.kind, std::move(ended.report), std::move(ended.page));
  reports.write();
  Status printed = reports.print(output);
  if (ended.verdict) return printed;
  warn_of(context, printed);
  if (!ended.stays) return ended.verdict;
  return with_remaining_jobs({job.name()}, flags, std::move(ended.verdict).error());
}

Status FollowedJobs::follow(const work::FoundJob& job, job::FollowOptions options,
                            const std::string& save_logs) {
  TRY_ASSIGN(kube::Client * client, context_.client());
  waited_for_ = options.wait_for;
  FollowOutcome ended = follow_one(context_, *client, context_.console, job, std::move(options),
                                   flags_, save_logs, {}, is_retried_);
  reports_.add(job.kind, std::move(ended.report), std::move(ended.page));
  if (ended.stays) staying_.push_back(job.name());
  return ended.verdict ? Status() : of_several(job.name(), std::move(ended.verdict).error());
}

void FollowedJobs::leave_out(const JobTarget& job, const Error& why) {
  const Error unknown{why.code, cat("not reached: ", why.message), ""};
  reports_.add(job.kind, report_without(context_, job, unknown));
}

Error FollowedJobs::of_several(const std::string& name, Error error) const {
  return reports_.are_of_several() ? of_job(name, std::move(error)) : error;
}

Error FollowedJobs::give_up(const JobTarget& job, Error why) {
  if (why.code == Code::usage) return why;
  why = with_runnable_hint(context_, std::move(why));
  reports_.add(job.kind, report_missing_job(context_, job, flags_, why));
  return of_several(job.name, std::move(why));
}

Error FollowedJobs::interrupted(Error signal) const {
  std::vector<std::string> parts;
  const auto names = [this](const std::vector<std::string>& jobs) {
    return array_.empty() ? join(jobs, " ") : array_;
  };
  if (!left_.empty())
    parts.push_back(
        cat(join(left_, ", "), left_.size() == 1 ? " remains" : " remain", " in the cluster"));
  if (!deleted_.empty()) {
    parts.push_back(cat(join(deleted_, ", "), deleted_.size() == 1 ? " was" : " were", " deleted"));
  }
  signal.message = cat(ending_signal(signal.code)->what_happened, "; ", join(parts, "; "));
  signal.hint = left_.empty() ? ""
                              : cat("wait for the jobs: trainctl wait ", names(left_),
                                    "\ndelete the jobs: trainctl delete ", names(left_));
  return signal;
}

Status FollowedJobs::conclude(Status outcome, options::Format output) {
  const bool is_signal = !outcome && ending_signal(outcome.error().code) != nullptr;
  const bool names_all = is_signal && left_.size() + deleted_.size() > 1;
  if (names_all) {
    outcome = with_runnable_hint(context_, interrupted(std::move(outcome).error()));
  }
  reports_.write();
  if (waited_for_ == job::WaitFor::verdict) {
    // The names of those that go on stand in the message.
    for (const std::string& line : {names_all ? "" : reports_.summary(), reports_.best()}) {
      if (!line.empty()) context_.console.notice(line);
    }
  }
  Status printed = reports_.print(output);
  if (outcome) return printed;
  warn_of(context_, printed);
  if (names_all) return outcome;
  return with_remaining_jobs(staying_, flags_, std::move(outcome).error());
}

Error of_job(const std::string& name, Error error) {
  const bool named = error.message.find(name) != std::string::npos;
  return named ? error : in_context(name, std::move(error));
}

void FollowedJobs::follow_all(std::vector<work::FoundJob> jobs, job::FollowOptions options,
                              const std::string& save_logs, FirstError& outcome,
                              work::ArrayGrowth* growth) {
  const bool grows = growth != nullptr && growth->expects_more();
  if (!grows && !reports_.are_of_several() && jobs.size() == 1) {
    return outcome.note(follow(jobs.front(), std::move(options), save_logs));
  }
  std::vector<std::string> names = distinct_names(jobs);
  total_ = jobs.size();
  std::size_t at = 0;
  const auto next = [&](std::size_t open) -> std::optional<NamedJob> {
    if (at == jobs.size() && grows) {
      for (work::FoundJob& job : growth->take(open == 0)) {
        names.push_back(job.name());
        jobs.push_back(std::move(job));
      }
    }
    if (at == jobs.size()) return std::nullopt;
    NamedJob job{jobs[at], names[at]};
    ++at;
    return job;
  };
  const auto end =
      follow_queue(next, k_most_at_once, grows, std::move(options), save_logs, outcome);
  if (grows && !end) {
    for (auto& [array, lack] : growth->lacking()) {
      outcome.note(give_up({array.kind, context_.ns(), array.name, context_.loop.now()}, lack));
      reports_.last_is_of_array(array.name);
    }
  }
  for (; end && at < jobs.size(); ++at) {
    leave_out({jobs[at].kind, jobs[at].ns(), names[at], context_.loop.now()}, *end);
  }
}

std::optional<Error> FollowedJobs::follow_as_they_come(const NextJob& next, std::size_t at_once,
                                                       job::FollowOptions options,
                                                       const std::string& save_logs,
                                                       FirstError& outcome) {
  const auto named = [&next](std::size_t) -> std::optional<NamedJob> {
    auto job = next();
    if (!job) return std::nullopt;
    const std::string name = job->name();
    return NamedJob{*std::move(job), name};
  };
  return follow_queue(named, at_once, false, std::move(options), save_logs, outcome);
}

std::optional<Error> FollowedJobs::follow_queue(const NextNamed& next, std::size_t at_once,
                                                bool grows, job::FollowOptions options,
                                                const std::string& save_logs, FirstError& outcome) {
  waited_for_ = options.wait_for;
  const auto client = context_.client();
  if (!client) {
    outcome.note(client.error());
    return std::nullopt;
  }
  struct Followed {
    NamedJob named;
    Json report;
    PagePtr page;
  };
  std::vector<Followed> all;
  std::optional<Error> end;
  job::JobQueue queue;
  queue.at_once = at_once;
  queue.grows = grows;
  queue.total = grows ? 0 : total_;
  queue.next = [&](std::size_t open) -> std::optional<job::FollowedJob> {
    auto named = end ? std::nullopt : next(open);
    if (!named) return std::nullopt;
    const work::FoundJob& job =
        all.emplace_back(Followed{*std::move(named), {}, nullptr}).named.job;
    const std::string& name = all.back().named.name;
    warn_of_missed_queue(context_, job);
    job::FollowOptions own = options;
    own.logs.job = name;
    own.logs.selection.replica = job.replica;
    prepare(context_, job, flags_, logs_of_job(save_logs, name), own);
    return job::FollowedJob{job.kind, {job.ns(), job.name(), job.uid(), job.object, {}}, own};
  };
  queue.on_end = [&](std::size_t index, job::FollowResult result) {
    const NamedJob& named = all[index].named;
    view::CiLog ci(context_, context_.ci);
    FollowOutcome ended = end_of(context_, named.job, named.name, options, flags_, result,
                                 logs_of_job(save_logs, named.name), ci);
    if (ended.stays) staying_.push_back(named.name);
    all[index].report = std::move(ended.report);
    all[index].page = std::move(ended.page);
    if (ended.verdict) return;
    const bool is_signal = ending_signal(ended.verdict.error().code) != nullptr;
    if (is_signal) (result.deleted() ? deleted_ : left_).push_back(named.name);
    if (!is_signal || !end) outcome.note(of_job(named.name, ended.verdict.error()));
    if (is_signal && !end) end = ended.verdict.error();
  };
  job::follow_jobs(**client, context_.console, queue);
  for (Followed& one : all) {
    reports_.add(one.named.job.kind, std::move(one.report), std::move(one.page));
  }
  return end;
}

Error give_up(Context& context, const JobTarget& job, const options::WaitFlags& flags, Error why) {
  if (why.code == Code::usage) return why;
  why = with_runnable_hint(context, std::move(why));
  Reports reports(context, flags, Reports::Shape::one_job);
  reports.add(job.kind, report_missing_job(context, job, flags, why));
  reports.write();
  return why;
}

namespace {

// In the log of a CI system a report would be read as the program's own words are: commands.
bool is_in_ci_log(const Console& console, const std::string& path) {
  const auto is_one_of = [&path](std::initializer_list<std::string_view> paths) {
    return std::ranges::find(paths, path) != paths.end();
  };
  if (is_one_of({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})) {
    return console.out_reader() != CiSystem::none;
  }
  const bool is_stderr = is_one_of({"/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"});
  return is_stderr && console.ci != CiSystem::none;
}

// Two flags that name one file.
Status check_distinct(const options::WaitFlags& flags) {
  const std::pair<std::string_view, const std::string&> files[] = {
      {"--result-file", flags.result_file}, {"--junit", flags.junit}, {"--report", flags.report}};
  for (const auto& [flag, path] : files) {
    for (const auto& [other, same] : files) {
      if (path.empty() || path != same) continue;
      if (flag == other) break;  // each pair once
      return Error{Code::usage, cat(other, " and ", flag, " both write to ", path),
                   "give them different files"};
    }
  }
  return {};
}

}  // namespace

Status check_place(Context& context, std::string_view flag, const std::string& path) {
  if (path.empty()) return {};
  if (is_in_ci_log(context.console, path)) {
    return Error{
        Code::usage,
        cat(flag, ": ", path,
            " is the CI system's log, and the CI system could take parts of a report for commands"),
        "write to a file, and print the file in a later step"};
  }
  const Status tried = context.files.check_writable(path);
  if (tried) return {};
  return Error{Code::usage, cat(flag, ": ", tried.error().message),
               "choose a path that you can write to"};
}

Status check_following(Context& context, const options::WaitFlags& flags,
                       const std::string& save_logs) {
  TRY(check_distinct(flags));
  if (!save_logs.empty() && !context.files.list(save_logs).empty()) {
    return Error{Code::usage, cat("--save-logs: ", save_logs, " already holds files"),
                 "name a new directory, or empty this one"};
  }
  if (!flags.notify.empty()) TRY(work::check_notify(context, flags.notify));
  TRY(check_place(context, "--result-file", flags.result_file));
  TRY(check_place(context, "--junit", flags.junit));
  TRY(check_place(context, "--report", flags.report));
  return check_place(context, "--save-logs",
                     save_logs.empty() ? "" : resolve_path(save_logs, "master-0.log"));
}

std::string_view flag_that_deletes(const options::WaitFlags& flags) {
  if (flags.on_give_up == options::OnGiveUp::remove) return "--on-give-up=delete";
  if (flags.on_stall == job::OnStall::remove) return "--on-stall=delete";
  return flags.on_interrupt == options::OnInterrupt::cancel ? "--on-interrupt=cancel" : "";
}

Status check_unnamed(const options::WaitFlags& flags) {
  const std::string_view flag = flag_that_deletes(flags);
  if (flag.empty()) return {};
  return Error{Code::usage, cat(flag, " deletes only a job that you name"),
               "name the job: trainctl get lists them"};
}

}  // namespace trainctl::cli
