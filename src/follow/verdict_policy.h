// Decides when following ends, and with which verdict: the job's own, or that of a replica. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "follow/log_choice.h"
#include "manifest/kind/kind.h"
#include "status/state.h"

namespace trainctl::job {

// How far a run of a replica has come, as far as its lines say; 1 = its first run.
using StepsOfRun = std::function<std::optional<double>(const ReplicaId&, int attempt)>;

// Recognises a program that fails in the same way each time it is started, and comes no further.
// Remembers how runs ended, since a pod's status has no more than the last one.
class RepeatedFailure {
 public:
  // Takes a replica's present state, and how far its last run came. True when this run and the one
  // before ended with the same exit status and the same last line of an error (without any line:
  // both within a second), and the later one came no further. Without steps, a run that lasted
  // clearly longer came further.
  bool take(const ReplicaState& replica, std::optional<double> steps);

 private:
  struct EndedRun {
    RunId run;
    std::optional<int> exit_code;
    std::string last_line;
    std::optional<Duration> lasted;
    std::optional<double> steps;
  };
  struct LastTwo {
    std::optional<EndedRun> before, last;
  };
  static bool are_alike(const EndedRun& before, const EndedRun& last);

  std::map<ReplicaId, LastTwo> runs_;
};

enum class OnGiveUp { leave, remove };
enum class OnInterrupt { detach, cancel };
enum class OnStall {
  warn,
  look,    // and show what the job's processes wait for
  remove,  // give the job up and delete it, unless it computes
};

// Decides what becomes of a job that has not ended when following does. Pure.
struct LeaveRules {
  OnGiveUp on_give_up = OnGiveUp::leave;
  OnInterrupt on_interrupt = OnInterrupt::detach;
  OnStall on_stall = OnStall::warn;
};

enum class EndedBy {
  judgement,
  deadline,     // --timeout
  silence,      // --on-stall=delete
  lost_output,  // stdout takes no more lines: a full disk, a reader that went away
};

// Says whether the job continues and nobody waits for it any more: the verdict is neither the
// job's, nor the chosen replica's, nor an interruption. Lines that cannot be written say nothing
// about the job, and count as an interruption.
bool is_given_up(const Status& verdict, EndedBy by, Phase phase, const LogSelection& selection);

// The flag by which the job is deleted after this verdict, "--on-give-up=delete",
// "--on-stall=delete" or "--on-interrupt=cancel"; "" when the job is kept, as after its own verdict
// or the chosen replica's.
std::string_view deleting_flag(const LeaveRules& rules, const Status& verdict, EndedBy by,
                               Phase phase, const LogSelection& selection);

// Adds that the job was deleted by that flag, or why it was not.
Error after_removal(Error verdict, std::string_view job_name, std::string_view flag,
                    const Status& removed);

// Returns how long the pods of a deleted job may take to stop: their longest grace period and a
// little.
Duration longest_stop(const Kind& kind, const Json& job);
// The longest time that these pods get between SIGTERM and SIGKILL.
Duration longest_grace(std::span<const Json> pods);

enum class WaitFor { verdict, running, succeeded, failed, deleted };

// The goal of following a job.
struct FollowGoal {
  WaitFor wait_for = WaitFor::verdict;
  bool fail_fast = false;              // --fail-fast: a replica that is dead fails the job
  bool require_all = false;            // --require-all-replicas: so does one that has failed
  bool ends_repeats = false;           // so does one that fails twice alike (RepeatedFailure)
  std::optional<ReplicaId> only = {};  // JOB/REPLICA: that replica's end is the verdict, too
};

struct GoesOn {};

// The job has failed, and it is not known yet which replica is to blame: job, pods and events come
// by watches of their own, and the pod decides the exit status.
struct AwaitsCulprit {};

struct Ends {
  Status verdict;
  Duration grace;  // for lines still under way; zero ends at once
  std::optional<ReplicaState> culprit = {};
  EndedBy by = EndedBy::judgement;
};

// The job has not ended, but will hardly get better. The decision counts only if it is still the
// same after `patience`: the operator may end the job or restart the replica, and the leader may
// succeed.
struct GivesUp {
  std::string subject;  // the replica and its pod
  Duration patience;
  Ends end;
};

using Decision = std::variant<GoesOn, AwaitsCulprit, GivesUp, Ends>;

class VerdictPolicy {
 public:
  VerdictPolicy(const Kind& kind, FollowGoal goal, StepsOfRun steps = {})
      : kind_(kind), goal_(goal), steps_(std::move(steps)) {}

  // Takes the job as it was found. A job that is suspended already is waited for; one that is
  // suspended later ends the following, unless its kind resumes as if nothing had happened.
  void first_look(const JobState& state);
  void end_with(const ReplicaId& only) { goal_.only = only; }
  // Call it when all events that existed when following began are known.
  void take_events() { events_listed_ = true; }
  // From here on a failed job is judged without its culprit.
  void give_up_culprit() { culprit_may_come_ = false; }

  // Call it at each change of the job's state.
  Decision decide(const Json& job, const JobState& state);
  // The end when the job object is gone: a success if the user waited for the deletion. `job` null:
  // it was never there.
  Ends end_gone(const Json& job, std::string_view ns, std::string_view name) const;

 private:
  Decision decide_succeeded(const Json& job, const JobState& state, Duration grace) const;
  Decision decide_failed(const Json& job, const JobState& state, Duration grace) const;
  std::optional<Ends> decide_replica(const Json& job, const JobState& state) const;
  Decision decide_unfinished(const Json& job, const JobState& state);
  const ReplicaState* find_repeating(const JobState& state);

  const Kind& kind_;
  FollowGoal goal_;
  StepsOfRun steps_;
  RepeatedFailure repeated_;
  bool was_suspended_ = false;  // when it was found, and ever since
  bool was_over_ = false;       // when it was found
  bool events_listed_ = false;
  bool culprit_may_come_ = true;
};

}  // namespace trainctl::job
