// Stays with a job: streams its replicas' logs and ends with its verdict.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/console.h"
#include "job/follow/report.h"
#include "job/kind/kind.h"
#include "job/logs/log_files.h"
#include "job/logs/log_printer.h"
#include "job/logs/log_tail.h"
#include "job/status/monitor.h"
#include "job/status/state.h"
#include "kube/client.h"

namespace trainctl::job {

enum class Prefix { automatic, always, never };

// Which replicas' logs are printed. Nothing set: the leader's; of a job that has failed already,
// the first failed replica's, said on stderr.
struct LogSelection {
  bool none = false;  // no logs: `wait`
  bool all = false;
  std::string replica;    // "worker-1", "rank:3" or a pod's name
  std::string role;       // every replica of a role
  std::string container;  // "" = the main container
};

enum class WaitFor { verdict, running, succeeded, failed, deleted };

struct FollowOptions {
  LogSelection selection;
  LogOptions tail;
  Prefix prefix = Prefix::automatic;
  bool timestamps = false;
  LogFormat format = LogFormat::text;
  std::string spool_directory = "/tmp";  // for lines that a slow reader of stdout has not taken yet
  SaveBytes save;       // --save-logs: the logs of all replicas, printed or not; unset = nowhere
  bool events = false;  // --events: what happens to job and pods, on stderr
  WaitFor wait_for = WaitFor::verdict;
  std::optional<Duration> timeout;        // --timeout: Code::timeout
  Duration waited{};                      // what of the timeout was over before following began
  std::optional<Duration> start_timeout;  // --start-timeout: how long a blocker is waited out
  bool fail_fast = false;  // --fail-fast: a replica that is dead is the job's failure
  std::function<void()> on_lines_done = [] {};  // after the last line, before digest and summary
};

struct FollowResult {
  Outcome outcome;  // its verdict: ok, or the Error whose code is the exit status
  JobState state;   // the last known
  Json job;
};

// Follows until the verdict (or what wait_for names); top-level code, runs the loop. Lines go to
// stdout; notices, waits and the digest of a failure to stderr. There is no following a run that is
// over: `options.tail.previous` is for print_logs.
FollowResult follow_job(kube::Client& client, Console& console, const Kind& kind, KnownJob job,
                        const FollowOptions& options);

// `logs` without -f: what there is now of the selected replicas, one after another. `pods` are the
// job's, `events` may be others' too. Of one whose pod is gone there is what events hold of it and
// a warning, or Code::not_found when there is no other to show; never Code::job_failed.
Status print_logs(kube::Client& client, Console& console, const Kind& kind, const Json& job,
                  std::span<const Json> pods, std::span<const Json> events,
                  const FollowOptions& options);

}  // namespace trainctl::job
