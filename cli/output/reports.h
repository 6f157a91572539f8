// Writes the reports of followed jobs to the places that the flags name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/options/bind.h"
#include "options/table/choices.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// Prints the error as a warning. A report that cannot be written does not change the verdict.
void warn_of(Context& context, const Status& status);

// Tells --notify's program or web hook about one job's end, unless another attempt follows.
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
  bool are_of_several() const { return shape_ == Shape::several; }
  void add(const job::Kind* kind, Json report);
  // The last report says what an array lacks: it is of no job, and is not counted as one.
  void last_is_of_array(std::string array) { arrays_.push_back(std::move(array)); }
  // The last attempt decides, although another one was expected to follow it: removes that mark
  // from its report, and notifies.
  void settle_last();
  // Writes --result-file and --junit, unless there is nothing to report: a JobReport and its test
  // suite, or a JobReportList and a suite for each.
  void write() const;
  // How many of several jobs succeeded, and which did not; "" for one.
  std::string summary() const;
  // Prints all on stdout; a job that was not found appears only in lists. Format::text prints
  // nothing.
  Status print(options::Format format) const;

 private:
  // The report of one job, or of all attempts at it.
  Json single() const;

  Context& context_;
  const options::WaitFlags& flags_;
  Shape shape_;
  std::vector<Json> reports_;
  std::vector<const job::Kind*> kinds_;
  std::vector<std::string> arrays_;
};

}  // namespace trainctl::cli
