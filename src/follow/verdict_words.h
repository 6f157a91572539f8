// Puts a verdict into the user's words, and says what to type next. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/loop/ending_signals.h"
#include "base/loop/wait_limit.h"
#include "base/value/json.h"
#include "status/state.h"

namespace trainctl::job {

// The job's own failure. `culprit` nullptr: no pod shows why. With a culprit that never started it
// is could_not_start().
Error job_failed(const Json& job, const JobState& state, const ReplicaState* culprit);
// Names the replicas that failed soon after the culprit, as its peers do when their connection
// breaks: "worker-1 exited 1 and worker-2 exited 134 (SIGABRT) within 4s after master-0, …"; ""
// when there are none.
std::string failed_after_words(const JobState& state);
// Code::not_started. start_timed_out() words a blocked pod alike, so that the message does not
// depend on what ended the waiting.
Error could_not_start(const Json& job, const ReplicaState& replica);
// A replica is started over and over, and no backoffLimit ends it.
Error crash_loop(const Json& job, const ReplicaState& replica);
// A replica fails as soon as it is started, each time with the same last line.
Error fails_alike(const Json& job, const ReplicaState& replica);
// --fail-fast: a replica is dead, and the job continues.
Error dead_replica(const Json& job, const JobState& state, const ReplicaState& replica);
// --require-all-replicas: the job succeeded, the replica did not.
Error succeeded_without(const Json& job, const ReplicaState& replica);
// The job succeeded, but a metric ended as no number: a warning, and with --fail-on-nan the
// verdict.
std::string succeeded_not_finite(std::string_view job_name, std::string_view not_finite);
Error failed_on_nan(std::string_view job_name, std::string_view not_finite);
// The replica that the user named has failed.
Error replica_failed(const Json& job, const ReplicaState& replica);
// --start-timeout is over; `blocker` nullptr: nothing is known to be wrong.
Error start_timed_out(std::string_view job_name, const JobState& state, const Blocker* blocker);
// `hindrance`: why the whole cluster makes no progress; "" = nothing known.
Error timed_out(std::string_view job_name, const JobState& state, const Deadline& deadline,
                std::string_view hindrance);
struct LostContact {
  Duration lasted{};
  std::string last_failure;  // of the server
};
// "no contact with the cluster for 91s"
std::string no_contact_words(Duration lasted);
// The state is the one before contact was lost. Only a loss of half a minute or more is the
// cluster's fault (Code::unreachable): after a shorter one, the job has taken too long, as far as
// is known.
Error timed_out_unseen(std::string_view job_name, const JobState& state, const Deadline& deadline,
                       const LostContact& lost);
// "master-0 has printed nothing for 10m", "no replica has printed anything for 10m". `followed`:
// the names of the replicas whose logs are read, of `replicas` in all.
std::string silence_words(std::span<const std::string> followed, std::size_t replicas,
                          Duration silent);
// --on-stall=delete: the job runs and has been silent for long.
Error stalled(std::string_view job_name, std::string_view silence);
// A signal ended the following of a job that has not ended.
Error stopped_following(std::string_view job_name, const EndingSignal& signal);

// Says whether the failed run's log is in a file or, as it was printed, in the history, or outlives
// its pod in the cluster.
enum class LogSaved { nowhere, missed, saved, by_history, by_cluster };

// Adds a hint to a failure: the command that shows the culprit's whole log, or why there is none
// (the operator deletes the pods of some failed jobs, and their logs with them). Leaves other
// errors, and those with a hint, unchanged.
Error with_log_hint(Error failure, std::string_view job_name, const JobState& state,
                    const ReplicaState& culprit, LogSaved saved);

}  // namespace trainctl::job
