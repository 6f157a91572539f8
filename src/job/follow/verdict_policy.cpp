// Decides by the job's phase first, then by its replicas where the job itself says nothing.
#include "job/follow/verdict_policy.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/follow/verdict_words.h"
#include "job/status/pod_state.h"

namespace trainctl::job {
namespace {

using std::chrono::seconds;

constexpr Duration k_lines_under_way = seconds(2);
// For pods that the operator stops: 30 s of grace and some.
constexpr Duration k_cleaning_up = seconds(45);

// A missing program is seldom the node's fault, and then passes; the kubelet's third attempt comes
// after half a minute.
constexpr int k_start_attempts = 3;

bool is_dead(const ReplicaState& replica) {
  if (replica.pod.deleting) return false;
  if (replica.run.start_failure && replica.run.start_failure->is_of_program()) return true;
  return replica.run.state == RunState::failed || replica.run.reason == "CrashLoopBackOff";
}

// Its program is missing or cannot be executed, and the node has tried more than once.
bool is_hopeless(const ReplicaState& replica) {
  return !replica.pod.deleting && replica.run.start_failure &&
         replica.run.start_failure->is_of_program() &&
         std::max(replica.run.restarts.value_or(0) + 1, replica.failures.pods) >= k_start_attempts;
}

// Its pod has failed once more, so that there is a run to blame.
bool fails_in_vain(const ReplicaState& replica) {
  return is_made_anew_in_vain(replica) && replica.last_exit.is_failure();
}

// Several replicas may have ended with an error, and none of them is known to be the one that the
// operator saw.
bool is_ambiguous(const JobState& state, const ReplicaState& culprit) {
  if (culprit.failures.reported || culprit.never_started()) return false;
  return std::ranges::count_if(state.replicas, [](const auto& replica) {
           return replica.last_exit.is_failure() || replica.run.state == RunState::missing;
         }) > 1;
}

bool is_waiting_to_start(Phase phase) {
  return phase == Phase::suspended || phase == Phase::queued;
}

}  // namespace

void VerdictPolicy::first_look(const JobState& state) {
  was_suspended_ = is_waiting_to_start(state.phase);
  was_over_ = is_final(state.phase);
}

Decision VerdictPolicy::decide(const Json& job, const JobState& state) {
  // A suspension from here on happens while the job is followed.
  if (state.phase == Phase::running || state.phase == Phase::restarting) was_suspended_ = false;
  if (goal_.wait_for == WaitFor::deleted) return GoesOn{};
  const bool cleans_up =
      kind_.controller.removes_failed ||
      text_at(job, cat(kind_.controller.run_policy, "/cleanPodPolicy"), "None") != "None";
  const Duration grace = cleans_up ? k_cleaning_up : k_lines_under_way;
  const std::string name = text_at(job, "/metadata/name");
  if (state.phase == Phase::succeeded) return decide_succeeded(job, state, grace);
  if (state.phase == Phase::failed) return decide_failed(job, state, grace);
  if (state.phase == Phase::suspended && !was_suspended_ && !kind_.controller.suspension_pauses) {
    return Ends{Error{Code::removed, cat("job ", name, " was suspended while it was followed")},
                k_lines_under_way};
  }
  if (goal_.wait_for == WaitFor::running && state.phase == Phase::running) return Ends{{}, {}};
  if (auto end = decide_replica(job, state)) return *std::move(end);
  return decide_unfinished(job, state);
}

Decision VerdictPolicy::decide_succeeded(const Json& job, const JobState& state,
                                         Duration grace) const {
  if (goal_.wait_for == WaitFor::failed) {
    return Ends{Error{Code::error, cat("job ", text_at(job, "/metadata/name"), " succeeded")},
                grace};
  }
  if (!goal_.require_all || goal_.wait_for == WaitFor::running) return Ends{{}, grace};
  const auto& replicas = state.replicas;
  const auto failed = std::ranges::find_if(replicas, ended_in_failure);
  if (failed != replicas.end()) return Ends{succeeded_without(job, *failed), grace, *failed};
  // Pods are watched apart from the job: a failure may be on its way.
  const bool all_succeeded = std::ranges::all_of(
      replicas, [](const auto& replica) { return replica.run.state == RunState::succeeded; });
  if (culprit_may_come_ && !all_succeeded) return AwaitsCulprit{};
  return Ends{{}, grace};
}

Decision VerdictPolicy::decide_failed(const Json& job, const JobState& state,
                                      Duration grace) const {
  if (goal_.wait_for == WaitFor::failed) return Ends{{}, {}};
  if (!state.first_failed) {
    if (culprit_may_come_ && state.reason != "DeadlineExceeded") return AwaitsCulprit{};
    return Ends{job_failed(job, state, nullptr), grace};
  }
  const ReplicaState& culprit = state.replicas[*state.first_failed];
  // The operator's event may be on its way, and later commands will judge by it.
  const bool comes = was_over_ ? !events_listed_ : state.reason != "BackoffLimitExceeded";
  const bool tells = !kind_.controller.counts_roles() && comes;
  if (culprit_may_come_ && tells && is_ambiguous(state, culprit)) return AwaitsCulprit{};
  return Ends{job_failed(job, state, &culprit), grace, culprit};
}

std::optional<Ends> VerdictPolicy::decide_replica(const Json& job, const JobState& state) const {
  if (!goal_.only || goal_.wait_for != WaitFor::verdict) return std::nullopt;
  for (const ReplicaState& replica : state.replicas) {
    if (replica.id != *goal_.only) continue;
    if (replica.run.state == RunState::succeeded) return Ends{{}, k_lines_under_way};
    if (replica.run.state == RunState::failed && !replica.pod.deleting) {
      return Ends{replica_failed(job, replica), k_lines_under_way, replica};
    }
  }
  return std::nullopt;
}

const ReplicaState* VerdictPolicy::find_repeating(const JobState& state) {
  const ReplicaState* found = nullptr;
  for (const ReplicaState& replica : state.replicas) {
    if (repeated_.take(replica) && found == nullptr) found = &replica;
  }
  return goal_.ends_repeats ? found : nullptr;
}

Decision VerdictPolicy::decide_unfinished(const Json& job, const JobState& state) {
  const auto& replicas = state.replicas;
  const auto hopeless = std::ranges::find_if(replicas, is_hopeless);
  if (hopeless != replicas.end()) {
    return Ends{could_not_start(job, *hopeless), k_lines_under_way, *hopeless};
  }
  const bool is_limited =
      kind_.controller.bounds_retries ||
      int_at(job, cat(kind_.controller.run_policy, "/backoffLimit")).has_value();
  const bool may_fail_in_vain = !kind_.controller.bounds_retries;
  const auto crashing = std::ranges::find_if(replicas, [=](const auto& replica) {
    return (may_fail_in_vain && fails_in_vain(replica)) || (!is_limited && is_crash_loop(replica));
  });
  if (crashing != replicas.end()) {
    return Ends{crash_loop(job, *crashing), k_lines_under_way, *crashing};
  }
  if (const ReplicaState* repeating = find_repeating(state)) {
    return Ends{fails_alike(job, *repeating), k_lines_under_way, *repeating};
  }
  if (!goal_.fail_fast) return GoesOn{};
  const auto dead = std::ranges::find_if(replicas, is_dead);
  return GoesOn{dead == replicas.end() ? nullptr : &*dead};
}

Ends VerdictPolicy::end_dead(const Json& job, const JobState& state,
                             const ReplicaState& replica) const {
  return {dead_replica(job, state, replica), k_lines_under_way, replica};
}

Ends VerdictPolicy::end_gone(const Json& job, std::string_view ns, std::string_view name) const {
  if (goal_.wait_for == WaitFor::deleted) return {{}, {}};
  if (job.is_null()) {
    return {Error{Code::not_found, cat("job ", name, " not found in namespace ", ns)},
            k_lines_under_way};
  }
  return {Error{Code::removed, cat("job ", name, " was deleted while it was followed")},
          k_lines_under_way};
}

}  // namespace trainctl::job
