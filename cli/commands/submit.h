// What the submit commands share: their options, and the steps of one job and of an array.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/options/bind.h"
#include "cli/options/choices.h"
#include "cli/options/flags.h"
#include "job/follow/follow.h"
#include "job/manifest/array.h"
#include "work/create/create.h"
#include "work/create/manifest.h"
#include "work/create/submission.h"

namespace trainctl::cli {

inline constexpr long k_array_limit = 1000;

struct ArrayFlags {
  std::vector<std::string> axes;  // as typed
  std::optional<long> limit = k_array_limit;
  bool failed = false;  // rerun
};

struct SubmitOptions {
  work::ManifestSource source;
  std::vector<std::string> operands;  // files of submit, jobs of rerun
  std::string file_flag;
  std::string kind;
  ArrayFlags array;
  DryRun dry_run = DryRun::none;
  Format output = Format::text;
  work::IfExists if_exists = work::IfExists::fail;
  work::ApiChoice api;  // as typed
  LineFor line_for = LineFor::submit;
  bool no_check = false;
  bool follow = false;
  bool wait = false;
  LogFlags log;
  WaitFlags waiting;

  bool stays() const { return follow || wait; }
};

void add_array_flags(const OptionBinder& bind, SubmitOptions& options);

// Submits a job for each combination of the values of --array, and stays with all of them if asked
// to.
Status submit_array(Context& context, const SubmitOptions& options, const work::ApiChoice& choice);
// The same for another run of each job of the array whose last run has failed.
Status rerun_failed(Context& context, SubmitOptions options, const job::JobRef& array);

// Prints warnings of the rendered manifest and the footprint before anything is sent.
void introduce(Context& context, const std::vector<std::string>& warnings,
               const std::string& footprint);

// Creates the job by the API that the cluster serves.
Result<work::Created> create_from(Context& context, work::Submission& submission,
                                  work::IfExists if_exists, const work::CreateLimits& limits);

// How the line wants its job to be followed.
job::FollowOptions follow_options(const SubmitOptions& options, std::optional<Deadline> deadline);

}  // namespace trainctl::cli
