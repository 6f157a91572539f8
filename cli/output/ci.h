// What a CI system is told while a job is followed: folds around the logs, annotations, a summary
// page.
#pragma once

#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/json.h"
#include "cli/context.h"

namespace trainctl::cli {

// plain: some CI system without commands of its own. Anything but none switches off what is for
// people at a terminal, since some systems give their jobs a pseudo-terminal.
enum class CiSystem { none, plain, github, gitlab };

// --ci's value; "auto" asks GITHUB_ACTIONS, GITLAB_CI and CI (set by nearly every system).
CiSystem ci_system(std::string_view choice, const Environment& environment);

class CiLog {
 public:
  CiLog(Context& context, CiSystem system);

  // The fold around a job's lines. What a training program prints, or the digest repeats, is no
  // command: Console::obeyed takes care of that, on both streams. GitHub's own stop-commands would
  // not: the two streams reach the runner in no order that it keeps.
  void begin_lines(const std::string& job);
  void end_lines();
  // The annotation of a failure, the step's outputs, and the summary page. `report` is a JobReport
  // with an outcome. An error when a file of the CI system cannot be written.
  Status conclude(const Json& report);

 private:
  Context& context_;
  CiSystem system_;
  std::string job_;  // whose fold is open; "" = none
};

}  // namespace trainctl::cli
