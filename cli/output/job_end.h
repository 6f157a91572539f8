// Follows one of a command's jobs, and tells the history, CI and --notify how it ended.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/options/bind.h"
#include "job/follow/follow.h"
#include "view/ci.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// The job that was to be followed, as far as it is known before it is found.
struct SoughtJob {
  const job::Kind* kind = nullptr;  // null: any
  std::string ns, name;
  Time since;  // when it was asked for
};

// How one of the command's jobs ended.
struct Ended {
  Status verdict;
  Json report;
  bool stays = false;  // given up, and the job continues
};

// Decides whether another attempt follows one that ended like this; unset: none does.
using Retries = std::function<bool(const job::FollowResult&)>;

// Adds the flags for cluster and namespace to the commands in the error's hint, since a report
// outlives the command.
Error typeable(const Context& context, Error error);

// Completes the command's own options from the flags, and sets where this job's lines go.
void prepare(Context& context, const work::FoundJob& job, const options::WaitFlags& flags,
             const std::string& save_logs, job::FollowOptions& options);

// Warns about a job with a queue's label that runs unadmitted, because Kueue is not set up to
// manage jobs of its kind.
void warn_of_missed_queue(Context& context, const work::FoundJob& job,
                          const std::optional<Deadline>& deadline);

Json report_without(Context& context, const SoughtJob& job, const Error& why);
// Returns the report of a job that was not found or not created, and passes it to CI and --notify.
Json told_without(Context& context, const SoughtJob& job, const options::WaitFlags& flags,
                  const Error& why);

// Completes the result's verdict, and passes it to the history, --notify and CI. `name`: the job's,
// as messages have it.
Ended end_of(Context& context, const work::FoundJob& job, const std::string& name,
             const job::FollowOptions& options, const options::WaitFlags& flags,
             job::FollowResult& result, const std::string& save_logs, view::CiLog& ci,
             const Retries& retries = {});

// Follows the job to its end, and then does what end_of does. `pods`: the job's pods, with a watch
// that has begun; may be null.
Ended follow_one(Context& context, kube::Client& client, Console& console,
                 const work::FoundJob& job, job::FollowOptions options,
                 const options::WaitFlags& flags, const std::string& save_logs,
                 std::unique_ptr<job::JobPods> pods, const Retries& retries = {});

}  // namespace trainctl::cli
