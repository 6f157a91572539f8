// Follows jobs: streams their replicas' logs and ends each with its verdict.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "base/console/console.h"
#include "base/loop/wait_limit.h"
#include "follow/log_choice.h"
#include "follow/report.h"
#include "follow/stall_watch.h"
#include "follow/verdict_policy.h"
#include "kube/client/client.h"
#include "manifest/kind/kind.h"
#include "status/monitor.h"
#include "status/state.h"

namespace trainctl::job {

struct FollowOptions {
  LogChoice logs = {};
  FollowGoal goal = {};
  LeaveRules leave = {};  // what becomes of a job that continues
  StallRules stall = {};
  bool attached = false;  // the job existed before the command that submits it
  bool events = false;    // --events: what happens to job and pods, on stderr
  // --timeout: Code::timeout. An expired one still allows one check of at most a minute.
  std::optional<Deadline> deadline = {};
  std::optional<Time> since = {};  // the user waits since then; nullopt: since following began
  std::optional<Duration> start_timeout = {};  // --start-timeout: how long a blocker may last
  // Returns why the whole cluster may make no progress, as "no space left on /home"; "" = no known
  // reason.
  std::function<std::string()> what_hinders = [] { return std::string(); };
  // Finds the pods of a job that MultiKueue has dispatched, given the job as last read: nullopt
  // where it is not known yet; a null client where they cannot be had, of which the user has been
  // told. Called at top level, and may run the loop. Unset: they are where the job is.
  std::function<std::optional<WorkerPods>(const Json& job)> find_worker = {};
  // Completes the commands in a hint, so that they can be typed as they are.
  std::function<std::string(const std::string& hint)> runnable = [](const auto& hint) {
    return hint;
  };
  std::function<void()> on_lines_done = [] {};  // after the last line, before digest and summary
};

struct FollowResult {
  Outcome outcome;  // its verdict: ok, or the Error whose code is the exit status
  JobState state;   // the last known; before its deletion, where following ended with that
  Json job;
  std::vector<Json> events = {};  // that are known of the job and its pods
  Json inside = {};               // what its processes waited for when it was last silent
  // The job continues and nobody waits for it any more, though nobody interrupted the wait.
  bool given_up = false;

  bool deleted() const { return std::holds_alternative<Deleted>(outcome.job); }
};

struct FollowedJob {
  const Kind* kind = nullptr;
  KnownJob job;
  FollowOptions options;  // logs.job names one of several
};

// Gives the jobs and takes their results. All functions are called at top level, and may run the
// loop.
struct JobQueue {
  // nullopt: there are no more for now. It is asked again when one has ended, and now and then
  // where `grows`; nullopt while none is followed is the end. `open`: how many are followed.
  std::function<std::optional<FollowedJob>(std::size_t open)> next;
  std::size_t at_once = 1;  // so many are followed at the same time
  bool grows = false;
  std::size_t total = 0;  // that `next` will give in all; 0 = not known
  // `index`: how many `next` had given before this one.
  std::function<void(std::size_t index, FollowResult result)> on_end;
};

// Follows each job until its verdict (or what its goal names), and returns when the last has one;
// top-level code, runs the loop. Lines go to stdout as they come; notices, waits and the digest of
// a failure to stderr. A signal ends all that are followed. A run that is over cannot be followed:
// `options.logs.options.previous` is for print_logs.
void follow_jobs(kube::Client& client, Console& console, const JobQueue& queue);

}  // namespace trainctl::job
