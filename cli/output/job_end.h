// Tells the history, CI and --notify how one of a command's jobs ended. Writes the reports of all
// of them to the places that the flags name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/options/bind.h"
#include "follow/follow.h"
#include "options/table/choices.h"
#include "view/ci.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// Prints the error as a warning. A report that cannot be written does not change the verdict.
void warn_of(Context& context, const Status& status);

// Tells --notify's program or web hook about one job's end, unless another attempt follows. One
// that a limit or a signal has brought is told by Reports::write.
void notify(Context& context, const options::WaitFlags& flags, const Json& report);

// The reports of one command's jobs, in the order of add().
class Reports {
 public:
  // `attempts`: the last of them stands for all, and its report holds those of the others.
  enum class Shape { one_job, several, attempts };

  Reports(Context& context, const options::WaitFlags& flags, Shape shape)
      : context_(context), flags_(flags), shape_(shape) {}

  // One name on the command line meant several jobs.
  void be_of_several() { shape_ = Shape::several; }
  bool are_of_one() const { return shape_ == Shape::one_job; }
  bool are_of_several() const { return shape_ == Shape::several; }
  // `page`: for --report, of a job that was followed.
  void add(const job::Kind* kind, Json report, PagePtr page = nullptr);
  // The last report says what an array lacks: it is of no job, and is not counted as one.
  void last_is_of_array(std::string array) { arrays_.push_back(std::move(array)); }
  // The last attempt decides, although another one was expected to follow it: removes that mark
  // from its report, and notifies. `signal`: the one that ended the command before the next
  // attempt, whose exit status the report has then; null = none.
  void settle_last(const Error* signal);
  // Writes --result-file, --junit and --report, unless there is nothing to report: a JobReport and
  // its test suite, or a JobReportList and a suite for each. Then tells --notify about the ends
  // that limits and signals have brought.
  void write() const;
  // Writes what later steps of a CI system read.
  void set_outputs(const Status& outcome) const;
  // How many of several jobs succeeded, and which did not; "" for one.
  std::string summary() const;
  // Which of several jobs has the best metric; "" = they cannot be compared.
  std::string best() const;
  // Prints all on stdout; a job that was not found appears only in lists. Format::text prints
  // nothing.
  Status print(options::Format format) const;

 private:
  // The report of one job, or of all attempts at it.
  static Json single(std::span<const Json> reports);
  std::string page() const;
  void notify_of_limits() const;

  Context& context_;
  const options::WaitFlags& flags_;
  Shape shape_;
  std::vector<Json> reports_;
  std::vector<PagePtr> pages_;  // for --report: one for each of these
  std::vector<const job::Kind*> kinds_;
  std::vector<std::string> arrays_;
};

// The job that was to be followed, as far as it is known before it is found.
struct JobTarget {
  const job::Kind* kind = nullptr;  // null: any
  std::string ns, name;
  Time since;               // when it was asked for
  std::string labels = {};  // by which it was sought; "" = by name, or the newest
};

// How one of the command's jobs ended.
struct FollowOutcome {
  Status verdict;
  Json report;
  bool stays = false;      // given up, and the job continues
  PagePtr page = nullptr;  // for --report
};

// Decides whether another attempt follows one that ended like this; unset: none does.
using Retries = std::function<bool(const job::FollowResult&)>;

// Adds the flags for cluster and namespace to the commands in the error's hint, since a report
// outlives the command.
Error with_runnable_hint(const Context& context, Error error);

// Completes the options with what is known of the job and the command's other flags.
void prepare(Context& context, const work::FoundJob& job, const options::WaitFlags& flags,
             const std::string& save_logs, job::FollowOptions& options);

// Warns about a job with a queue's label that runs unadmitted, because Kueue is not set up to
// manage jobs of its kind.
void warn_of_missed_queue(Context& context, const work::FoundJob& job);

Json report_without(Context& context, const JobTarget& job, const Error& why);
// Returns the report of a job that was not found or not created, and passes it to CI and --notify.
Json report_missing_job(Context& context, const JobTarget& job, const options::WaitFlags& flags,
                        const Error& why);

// Completes the result's verdict, and passes it to the history, --notify and CI. `name`: the job's,
// as messages have it.
FollowOutcome end_of(Context& context, const work::FoundJob& job, const std::string& name,
                     const job::FollowOptions& options, const options::WaitFlags& flags,
                     job::FollowResult& result, const std::string& save_logs, view::CiLog& ci,
                     const Retries& retries);

// Tells where a job that had failed before it was followed has been run again.
void tell_of_later_run(Context& context, const work::FoundJob& job, const Status& verdict);

}  // namespace trainctl::cli
