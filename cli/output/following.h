// Follows jobs to their verdict for submit, logs -f and wait, writes the reports, and cleans up if
// asked to.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
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
  // No other attempt follows the last one, although one was expected. `signal`: ended the command.
  void settle_last(const Error* signal) { reports_.settle_last(signal); }

  // The pods of the only job, with a watch that has begun; may be null.
  void watch_with(std::unique_ptr<job::PodWatch> pods) { pods_ = std::move(pods); }

  // Follows all jobs until they are in the state that `options` name; JOB/REPLICA is followed until
  // that replica ends. Saves the logs of several jobs in directories of their own. A signal ends
  // the wait for all. `growth`: arrays to which jobs are still added.
  void follow(std::vector<work::FoundJob> jobs, const job::FollowOptions& options,
              FirstError& outcome, work::ArrayGrowth* growth = nullptr);
  // Follows the jobs that `next` finds or creates, as a job::JobQueue. Returns the signal that
  // ended the wait.
  using NextJob = std::function<std::optional<work::FoundJob>(std::size_t open)>;
  std::optional<Error> follow_queue(const NextJob& next, std::size_t at_once,
                                    const job::FollowOptions& options, FirstError& outcome,
                                    bool grows = false);
  // The array of all these jobs: hints name it instead of each job.
  void be_of_array(std::string name, std::size_t members) {
    array_ = std::move(name);
    total_ = members;
  }
  // Records that a job was refused or not found, so that nobody mistakes an earlier run's reports
  // for these; but not Code::usage, which is found before the first request. Returns `why`, which
  // names the job if there are several.
  Error give_up(const JobTarget& job, Error why);
  // Notes in the report of one of several jobs that `why` ended the command before its turn.
  void leave_out(const JobTarget& job, const Error& why);
  // Writes and prints the reports. Returns the outcome of the command, with a hint on how to
  // delete jobs that were given up.
  Status conclude(Status outcome, options::Format output);

 private:
  std::string shown_name(std::size_t index, const work::FoundJob& job) const;
  std::string logs_directory(const std::string& name) const;
  Error of_several(const std::string& name, Error error) const;
  // The error of a command that a signal ended: names all jobs that were followed.
  Error interrupted(Error signal) const;

  Context& context_;
  const options::WaitFlags& flags_;
  Reports reports_;
  Retries is_retried_;
  job::WaitFor waited_for_ = job::WaitFor::verdict;
  std::vector<std::string> staying_;
  std::unique_ptr<job::PodWatch> pods_;
  std::vector<std::string> names_;    // of the jobs that are known from the beginning
  std::string array_;                 // "" = the jobs are not of an array
  std::size_t total_ = 0;             // that are followed in all; 0 = not known
  std::vector<std::string> left_;     // that continue after a signal
  std::vector<std::string> deleted_;  // by --on-interrupt
};

// Puts the job's name in front of the error's message, unless the message names the job already.
Error of_job(const std::string& name, Error error);

// Refuses (Code::usage) a place where a report could not be written, or would be read as commands
// of a CI system. `flag` names the path; "" is no place.
Status check_place(Context& context, std::string_view flag, const std::string& path);

// Refuses (Code::usage), before anything is sent, places where a report or a saved log could not be
// written at the end or would be read as commands of a CI system, a directory for logs that holds
// files, and a --notify that cannot work.
Status check_following(Context& context, const options::WaitFlags& flags);

// The flag by which a job that has not ended may be deleted, as "--on-give-up=delete"; "" = none.
std::string_view flag_that_deletes(const options::WaitFlags& flags);
// Refuses such a flag when the user has not named the job: Code::usage.
Status check_unnamed(const options::WaitFlags& flags);

}  // namespace trainctl::cli
