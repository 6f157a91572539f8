// Staying with a job, the same for submit, logs -f and wait: follow it, leave the reports, clean up
// if asked to.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "cli/options/flags.h"
#include "cli/output/first_error.h"
#include "cli/output/job_end.h"
#include "cli/output/reports.h"
#include "job/follow/follow.h"
#include "options/table/choices.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// Returns the verdict. `options` holds the command's own choices and its deadline; the rest is
// filled in from `flags` and `save_logs`. `output` "" prints nothing at the end. `pods`: of the
// job, whose watch has begun.
Status follow_job(Context& context, const work::FoundJob& job, job::FollowOptions options,
                  const options::WaitFlags& flags, const std::string& save_logs,
                  options::Format output, std::unique_ptr<job::JobPods> pods = {});

// The jobs of one command: followed, reported and told of together.
class FollowedJobs {
 public:
  // With several jobs, every message names its job.
  FollowedJobs(Context& context, const options::WaitFlags& flags, Reports::Shape shape)
      : context_(context), flags_(flags), reports_(context, flags, shape) {}
  // One name stood for several.
  void be_several() { reports_.be_of_several(); }
  // They are attempts at one job (Reports::Shape::attempts): says whether another follows the one
  // that has just ended so.
  void retry_if(Retries decides) { is_retried_ = std::move(decides); }
  // No other attempt follows the last one after all.
  void settle_last() { reports_.settle_last(); }

  // The one job, until it is in the state that `options` name. `save_logs`: the directory for logs,
  // or "".
  Status follow(const work::FoundJob& job, job::FollowOptions options,
                const std::string& save_logs);
  // All of them; one that was found with a replica ends with that replica. Logs are saved in a
  // directory for each job. A signal ends the waiting for all.
  void follow_all(const std::vector<work::FoundJob>& jobs, job::FollowOptions options,
                  const std::string& save_logs, FirstError& outcome);
  // Jobs that come into being meanwhile: as soon as fewer than `at_once` are followed, `next` makes
  // another one; nullopt: there are no more. Returns the signal that has ended it.
  using NextJob = std::function<std::optional<work::FoundJob>()>;
  std::optional<Error> follow_as_they_come(const NextJob& next, std::size_t at_once,
                                           job::FollowOptions options, const std::string& save_logs,
                                           FirstError& outcome);
  // The array that all are of: one word for them in what to type next.
  void be_of_array(std::string name) { array_ = std::move(name); }
  // One of them is not to be found, or was not created. Returns `why`, which names the job where
  // they are several.
  Error give_up(const SoughtJob& job, Error why);
  // One of several was not reached before `why` ended the command: only its report says so.
  void leave_out(const SoughtJob& job, const Error& why);
  // Leaves and prints the reports. Returns the outcome of the command, which also tells how to end
  // those jobs that were given up.
  Status conclude(Status outcome, options::Format output);

 private:
  struct NamedJob {
    work::FoundJob job;
    std::string name;
  };
  std::optional<Error> follow_queue(const std::function<std::optional<NamedJob>()>& next,
                                    std::size_t at_once, job::FollowOptions options,
                                    const std::string& save_logs, FirstError& outcome);
  Error of_several(const std::string& name, Error error) const;
  // The end by a signal, about all jobs that were followed.
  Error interrupted(Error signal) const;

  Context& context_;
  const options::WaitFlags& flags_;
  Reports reports_;
  Retries is_retried_;
  job::WaitFor waited_for_ = job::WaitFor::verdict;
  std::vector<std::string> staying_;
  std::string array_;                 // "" = they are of none
  std::vector<std::string> left_;     // that go on after a signal
  std::vector<std::string> deleted_;  // by --on-interrupt
};

// The error of one of several jobs: names it, unless it does so already.
Error of_job(const std::string& name, Error error);

// There is no job to stay with: it was refused, or is not to be found. The reports are still
// written, so that nobody takes an earlier run's reports for these. They are not written for
// Code::usage, which is found before the first request. Returns `why`.
Error give_up(Context& context, const SoughtJob& job, const options::WaitFlags& flags, Error why);

}  // namespace trainctl::cli
