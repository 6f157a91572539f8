// Output for a CI system while a job is followed: folds around the logs, annotations, a summary
// page.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/value/json.h"
#include "work/access.h"

namespace trainctl::view {

// The CI system that runs this process, by GITHUB_ACTIONS, GITLAB_CI, Azure's TF_BUILD, and CI,
// which nearly every system sets.
CiSystem ci_system_of(const Environment& environment);

class CiLog {
 public:
  // Every system except `none` switches off output that is meant for people at a terminal, since
  // some give their jobs a pseudo-terminal.
  CiLog(work::Access& access, CiSystem system);

  // Print the fold around a job's lines. The console makes sure that no output of the training
  // program, or of the digest that repeats it, is a command, on both streams. GitHub's own
  // stop-commands would not do, because the runner reads the two streams in no defined order.
  void begin_lines(const std::string& job);
  void end_lines();
  // On GitHub, writes the annotation of a failure and the summary page; elsewhere nothing. `report`
  // is a JobReport with an outcome. An error when a file of the CI system cannot be written.
  Status conclude(const Json& whole);
  // On GitHub, writes the step's outputs, which later steps read: the names of all jobs, the phase
  // that they share, and the command's verdict. Call it once, since the last value counts.
  Status set_outputs(std::span<const Json> reports, const Status& outcome);

 private:
  work::Access& access_;
  CiSystem system_;
  std::string job_;  // job with an open fold; "" = none
};

}  // namespace trainctl::view
