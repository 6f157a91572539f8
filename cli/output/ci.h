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

  // The fold around a job's lines. From its begin to the conclusion GitHub obeys no commands: what
  // a training program prints, or the digest repeats, must not set variables of the workflow
  // (GitHub docs, "Workflow commands", stop-commands).
  void begin_lines(const std::string& job);
  void end_lines();
  // The annotation of a failure, and the summary page. `report` is a JobReport with an outcome. An
  // error when the page cannot be written.
  Status conclude(const Json& report);

 private:
  void stop_commands();
  void resume_commands();

  Context& context_;
  CiSystem system_;
  std::string job_;    // whose fold is open; "" = none
  std::string token_;  // ends GitHub's deafness; "" = it listens
};

}  // namespace trainctl::cli
