// Follows jobs to their verdict for submit, logs -f and wait, writes the reports, and cleans up if
// asked to.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "cli/options/bind.h"
#include "cli/output/first_error.h"
#include "cli/output/job_end.h"
#include "follow/follow.h"
#include "options/table/choices.h"
#include "work/find/array_growth.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// Returns the verdict. `options` holds the command's own choices; the rest is
// filled in from `flags` and `save_logs`. `output`: Format::text prints no report at the end.
// `pods`: the job's pods, with a watch that has begun.
Status follow_job(Context& context, const work::FoundJob& job, job::FollowOptions options,
                  const options::WaitFlags& flags, const std::string& save_logs,
                  options::Format output, std::unique_ptr<job::PodWatch> pods = {});

// The jobs of one command, which are followed and reported together.
class FollowedJobs {
 public:
  // With several jobs, every message names its job.
  FollowedJobs(Context& context, const options::WaitFlags& flags, Reports::Shape shape)
      : context_(context), flags_(flags), reports_(context, flags, shape) {}
  // One name on the command line meant several jobs.
  void be_several() { reports_.be_of_several(); }
  // The jobs are attempts at one job (Reports::Shape::attempts): `decides` says whether another
  // attempt follows the one that has just ended.
  void retry_if(Retries decides) { is_retried_ = std::move(decides); }
  // No other attempt follows the last one, although one was expected.
  void settle_last() { reports_.settle_last(); }

  // Follows the only job until it is in the state that `options` name. `save_logs`: the directory
  // for logs, or "".
  Status follow(const work::FoundJob& job, job::FollowOptions options,
                const std::string& save_logs);
  // Follows all jobs; JOB/REPLICA is followed until that replica ends. Saves each job's logs in a
  // directory of its own. A signal ends the wait for all.
  // `growth`: arrays to which jobs are still added.
  void follow_all(std::vector<work::FoundJob> jobs, job::FollowOptions options,
                  const std::string& save_logs, FirstError& outcome,
                  work::ArrayGrowth* growth = nullptr);
  // Follows jobs that are created meanwhile: while fewer than `at_once` are followed, `next`
  // creates another one; nullopt: that was the last. Returns the signal that ended the wait.
  using NextJob = std::function<std::optional<work::FoundJob>()>;
  std::optional<Error> follow_as_they_come(const NextJob& next, std::size_t at_once,
                                           job::FollowOptions options, const std::string& save_logs,
                                           FirstError& outcome);
  // The array of all these jobs: hints name it instead of each job.
  void be_of_array(std::string name, std::size_t members) {
    array_ = std::move(name);
    total_ = members;
  }
  // Records that a job was not found or not created. Returns `why`, which names the job if there
  // are several.
  Error give_up(const JobTarget& job, Error why);
  // Notes in the report of one of several jobs that `why` ended the command before its turn.
  void leave_out(const JobTarget& job, const Error& why);
  // Writes and prints the reports. Returns the outcome of the command, with a hint on how to
  // delete jobs that were given up.
  Status conclude(Status outcome, options::Format output);

 private:
  struct NamedJob {
    work::FoundJob job;
    std::string name;
  };
  using NextNamed = std::function<std::optional<NamedJob>(std::size_t open)>;
  std::optional<Error> follow_queue(const NextNamed& next, std::size_t at_once, bool grows,
                                    job::FollowOptions options, const std::string& save_logs,
                                    FirstError& outcome);
  Error of_several(const std::string& name, Error error) const;
  // The error of a command that a signal ended: names all jobs that were followed.
  Error interrupted(Error signal) const;

  Context& context_;
  const options::WaitFlags& flags_;
  Reports reports_;
  Retries is_retried_;
  job::WaitFor waited_for_ = job::WaitFor::verdict;
  std::vector<std::string> staying_;
  std::string array_;                 // "" = the jobs are not of an array
  std::size_t total_ = 0;             // that are followed in all; 0 = not known
  std::vector<std::string> left_;     // that continue after a signal
  std::vector<std::string> deleted_;  // by --on-interrupt
};

// Puts the job's name in front of the error's message, unless the message names the job already.
Error of_job(const std::string& name, Error error);

// Reports a job that was refused or not found: still writes the reports, so that nobody mistakes an
// earlier run's reports for these. Writes none for Code::usage, which is found before the first
// request. Returns `why`.
Error give_up(Context& context, const JobTarget& job, const options::WaitFlags& flags, Error why);

// Refuses (Code::usage) a place where a report could not be written, or would be read as commands
// of a CI system. `flag` names the path; "" is no place.
Status check_place(Context& context, std::string_view flag, const std::string& path);

// Refuses (Code::usage), before anything is sent, places where a report or a saved log could not be
// written at the end or would be read as commands of a CI system, a directory for logs that holds
// files, and a --notify that cannot work.
Status check_following(Context& context, const options::WaitFlags& flags,
                       const std::string& save_logs);

// The flag by which a job that has not ended may be deleted, as "--on-give-up=delete"; "" = none.
std::string_view flag_that_deletes(const options::WaitFlags& flags);
// Refuses such a flag when the user has not named the job: Code::usage.
Status check_unnamed(const options::WaitFlags& flags);

}  // namespace trainctl::cli
