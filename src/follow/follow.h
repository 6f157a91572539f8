// Follows a job: streams its replicas' logs and ends with its verdict.
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
  LogChoice logs;
  // Whether the command that follows the job has created it, or submits a job that existed before.
  enum class Origin { own, attached } origin = Origin::own;
  bool events = false;  // --events: what happens to job and pods, on stderr
  WaitFor wait_for = WaitFor::verdict;
  // --timeout: Code::timeout. An expired one still allows one check of at most a minute.
  std::optional<Deadline> deadline;
  std::optional<Time> since;  // the user waits since then; nullopt: since following began
  std::optional<Duration> start_timeout;  // --start-timeout: how long to wait for a blocker to go
  bool fail_fast = false;     // --fail-fast: a replica that is dead is the job's failure
  bool require_all = false;   // --require-all-replicas: a failed replica spoils the job's success
  bool ends_repeats = false;  // a replica that fails twice alike fails the job
  // The lines at the bottom of a terminal: this job's own, or one of each of several jobs.
  enum class Region { own, shared } region = Region::own;
  LeaveRules leave;  // --on-give-up, --on-interrupt: what becomes of a job that continues
  StallRules stall;  // --stall, --on-stall: what to do about a running job that prints nothing
  // Returns why the whole cluster may make no progress, as "no space left on /home"; "" = no known
  // reason.
  std::function<std::string()> what_hinders = [] { return std::string(); };
  std::function<void()> on_lines_done = [] {};  // after the last line, before digest and summary

  FollowGoal goal() const { return {wait_for, fail_fast, require_all, ends_repeats}; }
};

struct FollowResult {
  Outcome outcome;  // its verdict: ok, or the Error whose code is the exit status
  JobState state;   // the last known; before its deletion, where following ended with that
  Json job;
  std::vector<Json> events = {};  // that are known of the job and its pods
  Json inside = {};               // what its processes waited for when it was last silent

  bool deleted() const { return std::holds_alternative<Deleted>(outcome.job); }
  // The job continues, and nobody waits for it any more.
  bool given_up() const {
    return std::holds_alternative<Left>(outcome.job) ||
           std::holds_alternative<NotDeleted>(outcome.job);
  }
};

// Follows until the verdict (or what wait_for names); top-level code, runs the loop. Lines go to
// stdout; notices, waits and the digest of a failure to stderr. A run that is over
// cannot be followed: `options.logs.options.previous` is for print_logs.
FollowResult follow_job(kube::Client& client, Console& console, const Kind& kind, KnownJob job,
                        const FollowOptions& options);

// Follows several jobs at once: their lines are printed as they come, and each gets its verdict.
struct FollowedJob {
  const Kind* kind = nullptr;
  KnownJob job;
  FollowOptions options;  // logs.job names it
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

// As follow_job for each; returns when the last has its verdict. A signal ends all that are
// followed.
void follow_jobs(kube::Client& client, Console& console, const JobQueue& queue);

}  // namespace trainctl::job
