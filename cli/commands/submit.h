// The options of the submit commands, and the steps that one job and an array share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/options/bind.h"
#include "cli/output/following.h"
#include "follow/follow.h"
#include "manifest/array.h"
#include "options/table/choices.h"
#include "work/create/create.h"
#include "work/create/manifest.h"
#include "work/create/submission.h"

namespace trainctl::cli {

inline constexpr long k_array_limit = 1000;

struct ArrayFlags {
  std::vector<std::string> axes;  // as typed
  std::optional<long> limit = k_array_limit;
  std::optional<long> at_once;  // nullopt: all
  bool failed = false;          // rerun
};

struct RetryFlags {
  std::optional<long> limit;    // of further attempts; nullopt: there are none
  std::vector<std::string> on;  // as typed
  bool avoid_nodes = false;
};

struct SubmitOperands {
  std::vector<std::string> words;    // files of submit, jobs of rerun
  std::vector<std::string> files;    // of -f
  std::string kind;                  // of a job of rerun
  std::vector<std::string> presets;  // their settings are among the line's defaults
};

// Faults that the user accepts.
struct Consent {
  std::string stranger;    // rerun: the job that was not submitted from here; "" = it was
  bool yes = false;        // rerun: nobody is asked
  bool unchecked = false;  // check: some things cannot be asked
};

struct SubmitOptions {
  work::ManifestSource source;
  SubmitOperands named;
  ArrayFlags array;
  RetryFlags retry;
  options::DryRun dry_run = options::DryRun::none;
  options::Format output = options::Format::text;
  work::IfExists if_exists = work::IfExists::fail;
  work::ApiChoice api;  // as typed
  options::SubmitAction line_for = options::SubmitAction::submit;
  bool no_check = false;
  Consent consent;
  bool follow = false;
  bool wait = false;
  options::WaitFlags waiting;

  bool stays() const { return follow || wait; }
  // The format of the report at the end. The name is not repeated there, since it was printed when
  // the job was created.
  options::Format report_format() const {
    return output == options::Format::name ? options::Format::text : output;
  }
};

void add_array_flags(const OptionBinder& bind, SubmitOptions& options);

// Submits a job for each combination of the values of --array, and follows all of them if the line
// asks for that.
Status submit_array(Context& context, const SubmitOptions& options, const work::ApiChoice& choice);
// Submits another run of each job of the array whose last run has failed, and follows these runs as
// submit_array does.
Status rerun_failed(Context& context, SubmitOptions options, const job::JobRef& array);

// The text of a file that is a batch script of Slurm; nullopt = it is none.
Result<std::optional<std::string>> batch_script(Context& context, const std::string& file);
// Submits a batch script with what was typed behind it, as the submit-pytorch line that it stands
// for.
Status submit_script(Context& context, const std::string& file, std::string text,
                     std::vector<std::string> arguments);

void add_retry_flags(const OptionBinder& bind, RetryFlags& flags);
// Code::usage for flags of --retry that do not fit the rest of the line; warns of those without
// effect.
Status check_retry(Context& context, const SubmitOptions& options);
// Marks the manifest of the first attempt, if --retry allows others. Code::usage when the job's
// name leaves no room for theirs. Warns when the cluster restarts failed replicas before --retry
// applies.
Status prepare_attempts(Context& context, const RetryFlags& flags, work::Manifest& manifest);

// Prints warnings of the rendered manifest and the footprint before anything is sent.
void introduce(Context& context, const std::vector<std::string>& warnings,
               const std::string& footprint);

// The manifest of a dry run: as it would be sent, or after the server's admission.
Result<work::Manifest> dry_manifest(Context& context, options::DryRun dry_run,
                                    work::Submission& submission);

// The job as far as it is known before it is created. Only the prefix of a generated name is known.
JobTarget sought(const work::Manifest& manifest, Time began);

// Asks the cluster, unless the line says not to, what would keep the job from running.
Status check_with_cluster(Context& context, const SubmitOptions& options,
                          const work::Submission& submission);

struct Submitted {
  work::FoundJob job;
  bool fresh = true;        // false: it existed before
  bool is_as_typed = true;  // it runs what the line says
};
// Creates the job by the API that the cluster serves, and notes it in the history.
Result<Submitted> create_from(Context& context, const SubmitOptions& options,
                              work::Submission& submission);

// Follows the job, and submits it again, at most --retry times, when it fails for a cause that
// --retry-on names. The last attempt's verdict is the command's.
Status stay_and_retry(Context& context, const SubmitOptions& options, Submitted made);

// Returns the options for following the line's job.
job::FollowOptions follow_options(const SubmitOptions& options);

}  // namespace trainctl::cli
