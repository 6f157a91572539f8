// Output for a CI system while a job is followed: folds around the logs, annotations, a summary
// page.
#pragma once

#include <string>
#include <string_view>

#include "base/value/json.h"
#include "cli/context.h"

namespace trainctl::cli {

// Sets the CI system by --ci's value; "auto" reads GITHUB_ACTIONS, GITLAB_CI and CI (set by nearly
// every system). Whatever the choice, nothing that a job prints is a command to the system that the
// environment names.
void set_ci(std::optional<CiSystem> choice, Context& context);

class CiLog {
 public:
  // Every system except `none` switches off output that is meant for people at a terminal, since
  // some give their jobs a pseudo-terminal.
  explicit CiLog(Context& context);

  // Print the fold around a job's lines. The console makes sure that no output of the training
  // program, or of the digest that repeats it, is a command, on both streams. GitHub's own
  // stop-commands would not do, because the runner reads the two streams in no defined order.
  void begin_lines(const std::string& job);
  void end_lines();
  // Writes the annotation of a failure, the step's outputs, and the summary page. `report` is a
  // JobReport with an outcome. An error when a file of the CI system cannot be written.
  Status conclude(const Json& report);

 private:
  Context& context_;
  std::string job_;  // job with an open fold; "" = none
};

}  // namespace trainctl::cli
