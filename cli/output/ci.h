// Output for a CI system while a job is followed: folds around the logs, annotations, a summary
// page.
#pragma once

#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/json.h"
#include "cli/context.h"

namespace trainctl::cli {

// `plain` is a CI system without commands of its own. Every value except `none` switches off output
// that is meant for people at a terminal, since some CI systems give their jobs a pseudo-terminal.
enum class CiSystem { none, plain, github, gitlab };

// The CI system from --ci's value; "auto" reads GITHUB_ACTIONS, GITLAB_CI and CI (set by nearly
// every system).
CiSystem ci_system(std::string_view choice, const Environment& environment);

class CiLog {
 public:
  CiLog(Context& context, CiSystem system);

  // Print the fold around a job's lines. Console::obeyed makes sure that no output of the training
  // program, or of the digest that repeats it, is a command, on both streams. GitHub's own
  // stop-commands would not do, because the runner reads the two streams in no defined order.
  void begin_lines(const std::string& job);
  void end_lines();
  // Writes the annotation of a failure, the step's outputs, and the summary page. `report` is a
  // JobReport with an outcome. An error when a file of the CI system cannot be written.
  Status conclude(const Json& report);

 private:
  Context& context_;
  CiSystem system_;
  std::string job_;  // job with an open fold; "" = none
};

}  // namespace trainctl::cli
