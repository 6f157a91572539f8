// The state of a job: its phase and the reason for it, its replicas, and what keeps it from
// starting.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "manifest/kind/replica.h"
#include "status/start_failure.h"

namespace trainctl::job {

enum class Phase {
  submitted,  // the operator has not written a status yet
  queued,     // suspended by a queueing system
  pending,    // pods are not placed, or cannot be created
  starting,   // placed; images, volumes, init containers
  running,
  restarting,
  suspended,
  succeeded,
  failed,
};
std::string_view phase_name(Phase phase);  // "Submitted", …
std::optional<Phase> parse_phase(std::string_view text);
bool is_final(Phase phase);

// The state of a replica's main container, or the reason why it has none.
enum class RunState { missing, pending, waiting, running, succeeded, failed, terminating };
std::string_view run_state_name(RunState state);  // "Missing", …

// The pod of a replica, or what is still known about a removed one.
struct ReplicaPod {
  std::string name;  // "" when there is no pod yet, or no longer
  // The name that it has, had or will have, as far as that is known.
  std::string expected_name;
  std::string uid;
  std::string node;
  std::optional<Time> placed;  // when a node took the pod
  bool mounted = false;        // its volumes certainly are
  bool deleting = false;       // it is being deleted: how its container ends is not its own doing
  std::string kept_by;         // the container that keeps it running after the main one; "" = none

  // It exists, and is not being deleted.
  bool stands() const { return !name.empty() && !deleting; }
};

// The state of the main container's present run, or the reason why it has none.
struct PresentRun {
  RunState state = RunState::missing;
  std::string reason;   // ImagePullBackOff, OOMKilled, Unschedulable, …; may be empty
  std::string message;  // the server's words
  std::optional<Time> since;
  std::optional<StartFailure> start_failure;  // why it is not placed, or its last run did not begin
  std::optional<int> restarts = 0;            // nullopt: nothing says how many there were
  std::optional<int> exit_before;             // exit code of the run before; only if restarts > 0

  bool is_over() const { return state == RunState::succeeded || state == RunState::failed; }
  bool runs_or_succeeded() const {
    return state == RunState::running || state == RunState::succeeded;
  }
};

// The end of the last finished run of the main container.
struct LastExit {
  std::optional<int> code;   // nullopt: none has finished
  std::string words;         // the termination message, with its line ends
  std::optional<RunId> run;  // nullopt: only events tell of it
  std::optional<Time> began, finished;
  bool out_of_memory = false;  // OOMKilled
  bool own = false;            // it ended before its pod was deleted, and so by itself

  bool is_failure() const { return code.value_or(0) != 0; }
};

// Since when a replica has failed, and how often.
struct ReplicaFailures {
  std::optional<Time> first;  // when a run first ended with an error, as far as is known
  bool reported = false;      // the operator has recorded such an end as an event
  // Counts pods in a row that failed soon after their start: the operator makes them anew.
  int pods = 0;
  int replaced = 0;  // pods that failed and that the operator made anew, as far as is known
};

// The state of a replica: its pod, the present run of its main container, and the runs before.
struct ReplicaState {
  ReplicaId id;
  std::optional<int> rank;
  ReplicaPod pod;
  PresentRun run;
  LastExit last_exit;
  ReplicaFailures failures;

  // How often it was started again, in its pod or in a new one; nullopt when nobody knows.
  std::optional<int> restarts() const {
    if (!run.restarts && failures.replaced == 0) return std::nullopt;
    return run.restarts.value_or(0) + failures.replaced;
  }
  // Says that the replica's start failed, and not a run.
  bool never_started() const {
    return run.start_failure && (run.start_failure->is_of_program() || !last_exit.code);
  }
  // The restarts of a program that had begun. The kubelet restarts containers that it could not
  // start, and the phase says why; those of a pod that is gone were reported while it existed.
  int restarts_of_program() const {
    return never_started() || pod.name.empty() ? 0 : run.restarts.value_or(0);
  }
};

// True when the last run of the replica ended with an error, so far as is known, and no other run
// has begun.
bool ended_in_failure(const ReplicaState& replica);

// The same, where clean-up did not cause that end.
bool failed_by_itself(const ReplicaState& replica);

// Something that will not get better by waiting a little: a missing image, secret or node.
struct Blocker {
  std::string replica;  // "worker-0", or "" for the job itself
  std::string pod;
  std::string reason;  // ImagePullBackOff, CreateContainerConfigError, Unschedulable, …
  std::string message;
  std::string hint;  // what to do about it
  std::optional<Time> since;

  // "ImagePullBackOff: no such image"
  std::string words() const { return StartFailure{reason, message}.words(); }
};

struct JobState {
  Phase phase = Phase::submitted;
  std::string reason;   // "ImagePullBackOff", "BackoffLimitExceeded", …
  std::string message;  // one line: "worker-0: ImagePullBackOff: …"
  std::optional<Time> since;
  std::vector<ReplicaState> replicas;       // in rank order, the missing ones included
  std::optional<Blocker> blocker;           // the first by rank
  std::optional<std::size_t> first_failed;  // index into replicas: failed first in time
};

inline constexpr std::string_view k_stopped = "Stopped";
// The word that people and reports have for a replica's state: run_state_name, but the known end of
// one whose pod is gone with its job's end, or k_stopped where others have run and its own end is
// not known.
std::string_view shown_state(const JobState& job, const ReplicaState& replica);

// The first by rank whose pod a sidecar keeps running, so that the job does not end; else nullptr.
const ReplicaState* first_kept(const JobState& state);

// When the first replica had a place on a node, and the wait for one was over; nullopt: no pod is
// left that says so.
std::optional<Time> first_placed(const JobState& state);

// True when replicas run, or ran, on more than one node, as far as their pods say.
bool spans_nodes(const JobState& state);

}  // namespace trainctl::job
