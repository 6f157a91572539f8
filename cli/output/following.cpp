// Follows, and leaves reports: files, CI, stdout.
#include "cli/output/following.h"

#include <algorithm>
#include <iterator>

#include "base/loop/ending_signals.h"
#include "base/text/terminal_text.h"
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

// Adds to the hint how to delete the jobs that remain. `array`: of all of them; "" = of none.
Error with_remaining_jobs(const std::vector<std::string>& names, const std::string& array,
                          const options::WaitFlags& flags, Error error) {
  constexpr std::size_t k_most_repeated = 10;
  const bool one = names.size() == 1;
  const bool tells_it = one && error.hint.find("trainctl delete ") != std::string::npos &&
                        error.hint.find(" " + names.front()) != std::string::npos;
  if (names.empty() || tells_it) return error;
  const bool is_long = !array.empty() && names.size() > k_most_repeated;
  error.hint += cat(error.hint.empty() ? "" : "\n",
                    one ? "the job remains" : cat("the jobs ", some_of(names), " remain"),
                    " in the cluster: trainctl delete ", is_long ? array : join(names, " "),
                    one       ? " deletes it"
                    : is_long ? " deletes the array"
                              : " deletes them",
                    flags.follow.leave.on_give_up == job::OnGiveUp::remove
                        ? ""
                        : "; next time, --on-give-up=delete does so");
  return error;
}

}  // namespace

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
        cat(some_of(left_), left_.size() == 1 ? " remains" : " remain", " in the cluster"));
  if (!deleted_.empty()) {
    parts.push_back(cat(some_of(deleted_), deleted_.size() == 1 ? " was" : " were", " deleted"));
  }
  signal.message = cat(ending_signal(signal.code)->what_happened, "; ", join(parts, "; "));
  signal.hint = left_.empty() ? ""
                              : cat("follow the jobs again: trainctl logs -f ", names(left_),
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
  reports_.set_outputs(outcome ? printed : outcome);
  if (outcome) return printed;
  warn_of(context_, printed);
  if (names_all) return outcome;
  return with_remaining_jobs(staying_, array_, flags_, std::move(outcome).error());
}

Error of_job(const std::string& name, Error error) {
  const bool named = error.message.find(name) != std::string::npos;
  return named ? error : in_context(name, std::move(error));
}

void FollowedJobs::follow(std::vector<work::FoundJob> jobs, const job::FollowOptions& options,
                          FirstError& outcome, work::ArrayGrowth* growth) {
  const bool grows = growth != nullptr && growth->expects_more();
  names_ = distinct_names(jobs);
  total_ = jobs.size();
  std::size_t at = 0;
  const auto next = [&](std::size_t open) -> std::optional<work::FoundJob> {
    if (at == jobs.size() && grows)
      std::ranges::move(growth->take(open == 0), std::back_inserter(jobs));
    return at == jobs.size() ? std::nullopt : std::optional(jobs[at++]);
  };
  const auto end = follow_queue(next, k_most_at_once, options, outcome, grows);
  if (grows && !end) {
    for (auto& [array, lack] : growth->lacking()) {
      outcome.note(give_up({array.kind, context_.ns(), array.name, context_.loop.now()}, lack));
      reports_.last_is_of_array(array.name);
    }
  }
  for (; end && at < jobs.size(); ++at) {
    const work::FoundJob& job = jobs[at];
    leave_out({job.kind, job.ns(), shown_name(at, job), context_.loop.now()}, *end);
  }
}

std::string FollowedJobs::shown_name(std::size_t index, const work::FoundJob& job) const {
  return index < names_.size() ? names_[index] : job.name();
}

std::string FollowedJobs::logs_directory(const std::string& name) const {
  return reports_.are_of_one() ? flags_.save_logs : logs_of_job(flags_.save_logs, name);
}

std::optional<Error> FollowedJobs::follow_queue(const NextJob& next, std::size_t at_once,
                                                const job::FollowOptions& options,
                                                FirstError& outcome, bool grows) {
  waited_for_ = options.goal.wait_for;
  const auto client = context_.client();
  if (!client) {
    outcome.note(client.error());
    return std::nullopt;
  }
  struct Followed {
    work::FoundJob job;
    std::string name;
    FollowOutcome end = {};
  };
  const bool are_several = reports_.are_of_several();
  std::vector<Followed> all;
  std::optional<Error> end;
  view::CiLog ci(context_, context_.ci);
  job::JobQueue queue;
  queue.at_once = at_once;
  queue.grows = grows;
  queue.total = grows ? 0 : total_;
  queue.next = [&](std::size_t open) -> std::optional<job::FollowedJob> {
    auto found = end ? std::nullopt : next(open);
    if (!found) return std::nullopt;
    const std::string name = shown_name(all.size(), *found);
    const work::FoundJob& job = all.emplace_back(Followed{*std::move(found), name}).job;
    warn_of_missed_queue(context_, job);
    job::FollowOptions own = options;
    if (are_several) {
      own.logs.job = name;
      own.logs.selection.replica = job.replica;
    }
    prepare(context_, job, flags_, logs_directory(name), own);
    if (!are_several && !own.logs.selection.none) {
      ci.begin_lines(name);
      own.on_lines_done = [&ci] { ci.end_lines(); };
    }
    return job::FollowedJob{
        job.kind, {job.ns(), job.name(), job.uid(), job.object, std::move(pods_)}, std::move(own)};
  };
  queue.on_end = [&](std::size_t index, job::FollowResult result) {
    Followed& one = all[index];
    one.end = end_of(context_, one.job, one.name, options, flags_, result, logs_directory(one.name),
                     ci, is_retried_);
    if (!are_several) tell_of_later_run(context_, one.job, one.end.verdict);
    if (one.end.stays) staying_.push_back(one.name);
    if (one.end.verdict) return;
    Error error = std::move(one.end.verdict).error();
    const bool is_signal = ending_signal(error.code) != nullptr;
    if (is_signal) (result.deleted() ? deleted_ : left_).push_back(one.name);
    if (!is_signal || !end) outcome.note(of_several(one.name, error));
    if (is_signal && !end) end = std::move(error);
  };
  job::follow_jobs(**client, context_.console, queue);
  for (Followed& one : all) {
    reports_.add(one.job.kind, std::move(one.end.report), std::move(one.end.page));
  }
  return end;
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
  if (path == "-") {
    return Error{Code::usage, cat(flag, ": - is no file name"),
                 "name a file, or /dev/stdout; ./- is a file of that name"};
  }
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

Status check_following(Context& context, const options::WaitFlags& flags) {
  const std::string& save_logs = flags.save_logs;
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
  if (flags.follow.leave.on_give_up == job::OnGiveUp::remove) return "--on-give-up=delete";
  if (flags.follow.leave.on_stall == job::OnStall::remove) return "--on-stall=delete";
  return flags.follow.leave.on_interrupt == job::OnInterrupt::cancel ? "--on-interrupt=cancel" : "";
}

Status check_unnamed(const options::WaitFlags& flags) {
  const std::string_view flag = flag_that_deletes(flags);
  if (flag.empty()) return {};
  return Error{Code::usage, cat(flag, " deletes only a job that you name"),
               "name the job: trainctl get lists them"};
}

}  // namespace trainctl::cli
