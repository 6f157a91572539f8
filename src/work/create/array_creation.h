// Creates the jobs of an array one after another, within the server's own limit of requests.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/loop/wait_limit.h"
#include "base/result.h"
#include "work/access.h"
#include "work/create/create.h"
#include "work/create/manifest.h"
#include "work/create/submission.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// The jobs of an array as submissions. Errors are those of Submission::prepare.
Result<std::vector<Submission>> prepare_members(Access& access, std::vector<Manifest> members,
                                                const ApiChoice& choice, bool for_a_cluster);

// Another run of each of the jobs of the array `name`, each named after the run before, so that it
// exists once, whoever runs the array again. Errors are those of read_for_rerun and build_manifest.
Result<JobArray> rerun_of_all(Access& access, ManifestSource source, const std::string& name,
                              const std::vector<FoundJob>& jobs);

// If a job cannot be created, the others still are, unless all of them would meet the same
// error.
class ArrayCreation {
 public:
  // The caller's steps for each job. `refused` returns the error as it is to be reported.
  struct Steps {
    std::function<Result<FoundJob>(Submission& submission)> create;
    std::function<Error(const Manifest& manifest, Error why)> refused;
    std::function<void(const Manifest& manifest, const Error& why)> left_out;
  };
  // The arguments outlive the creation.
  ArrayCreation(Access& access, std::vector<Submission>& submissions, Steps steps)
      : access_(access), submissions_(submissions), steps_(std::move(steps)) {}

  // The next job, which may have existed before; nullopt: there are no more.
  std::optional<FoundJob> next();
  // Leaves out all that are not created yet.
  void give_up(const Error& why);
  // The error that every further job would meet.
  const std::optional<Error>& end() const { return end_; }

 private:
  // Lists the jobs on stderr, and replaces the hint of the error.
  void tell_how_to_resume(Error& why) const;

  Access& access_;
  std::vector<Submission>& submissions_;
  Steps steps_;
  std::size_t at_ = 0;
  std::vector<std::string> existing_, failed_;
  std::optional<Error> end_;
};

}  // namespace trainctl::work
