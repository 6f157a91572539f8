// Staying with a job, the same for submit, logs -f and wait: follow it, leave the reports, clean up
// if asked to.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options/choices.h"
#include "cli/options/flags.h"
#include "cli/output/first_error.h"
#include "cli/output/reports.h"
#include "job/follow/follow.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// Returns the verdict. `options` holds the command's own choices and its deadline; the rest is
// filled in from `flags` and `save_logs`. `output` "" prints nothing at the end. `pods`: of the
// job, whose watch has begun.
Status follow_job(Context& context, const work::FoundJob& job, job::FollowOptions options,
                  const WaitFlags& flags, const std::string& save_logs, Format output,
                  std::unique_ptr<job::JobPods> pods = {});

// The job that was to be followed, as far as it is known before it is found.
struct SoughtJob {
  const job::Kind* kind = nullptr;  // null: any
  std::string ns, name;
  Time since;  // when it was asked for
};

// The jobs of one command: followed, reported and told of together.
class FollowedJobs {
 public:
  // With several jobs, every message names its job.
  FollowedJobs(Context& context, const WaitFlags& flags, Reports::Shape shape)
      : context_(context), flags_(flags), reports_(context, flags, shape) {}
  // One name stood for several.
  void be_several() { reports_.be_of_several(); }

  // Without printing logs, until the job is in the state that `options` name. `save_logs`: the
  // directory for them, or "".
  Status follow(const work::FoundJob& job, job::FollowOptions options,
                const std::string& save_logs);
  // The same for each, one after another, since verdicts do not change; each has a directory of its
  // own for logs. Returns false when a signal has ended the waiting for all.
  bool follow_each(const std::vector<work::FoundJob>& jobs, const job::FollowOptions& options,
                   const std::string& save_logs, FirstError& outcome);
  // All at once, with logs. If a job was found with a replica, only that replica is followed. Logs
  // are saved in a directory for each job.
  void follow_at_once(const std::vector<work::FoundJob>& jobs, job::FollowOptions options,
                      const std::string& save_logs, FirstError& outcome);
  // One of them is not to be found, or was not created. Returns `why`, which names the job where
  // they are several.
  Error give_up(const SoughtJob& job, Error why);
  // One of several was not reached before `why` ended the command: only its report says so.
  void leave_out(const SoughtJob& job, const Error& why);
  // Leaves and prints the reports. Returns the outcome of the command, which also tells how to end
  // those jobs that were given up.
  Status conclude(Status outcome, Format output);

 private:
  Error of_several(const std::string& name, Error error) const;

  Context& context_;
  const WaitFlags& flags_;
  Reports reports_;
  job::WaitFor waited_for_ = job::WaitFor::verdict;
  std::vector<std::string> staying_;
};

// True to wait for the next of several jobs after this verdict.
bool goes_on(const Status& verdict);

// The error of one of several jobs: names it, unless it does so already.
Error of_job(const std::string& name, Error error);

// There is no job to stay with: it was refused, or is not to be found. The reports are still
// written, so that nobody takes an earlier run's reports for these. They are not written for
// Code::usage, which is found before the first request. Returns `why`.
Error give_up(Context& context, const SoughtJob& job, const WaitFlags& flags, Error why);

}  // namespace trainctl::cli
