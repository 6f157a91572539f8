// Decides by the job's phase first, then by its replicas where the job itself says nothing.
#include "follow/verdict_policy.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "follow/verdict_words.h"
#include "logs/significant_lines.h"
#include "status/pod_state.h"

namespace trainctl::job {
namespace {

// Times have a precision of one second.
constexpr Duration k_at_once = std::chrono::seconds(1);

// Times and numbers of processes differ from run to run.
std::string without_digits(std::string line) {
  std::erase_if(line, [](unsigned char c) { return std::isdigit(c) != 0; });
  return line;
}

std::optional<Duration> duration_of(const LastExit& exit) {
  if (!exit.began || !exit.finished) return std::nullopt;
  return *exit.finished - *exit.began;
}

}  // namespace

bool RepeatedFailure::are_alike(const EndedRun& before, const EndedRun& last) {
  if (before.exit_code != last.exit_code) return false;
  if (without_digits(before.last_line) != without_digits(last.last_line)) return false;
  const bool at_once = before.lasted.value_or(Duration::max()) <= k_at_once &&
                       last.lasted.value_or(Duration::max()) <= k_at_once;
  if (last.last_line.empty() && !at_once) return false;
  if (last.steps) return before.steps && *last.steps <= *before.steps;
  if (before.steps || !before.lasted || !last.lasted) return true;
  constexpr Duration k_noise = std::chrono::seconds(5);  // of a start on a busy machine
  return *last.lasted <= *before.lasted * 3 / 2 + k_noise;
}

bool RepeatedFailure::take(const ReplicaState& replica, std::optional<double> steps) {
  const LastExit& exit = replica.last_exit;
  if (!exit.run || replica.pod.deleting || !exit.is_failure()) return false;
  auto& [before, last] = runs_[replica.id];
  if (!last || last->run != *exit.run) {
    const bool follows = last && last->run.pod_uid == exit.run->pod_uid &&
                         last->run.restarts + 1 == exit.run->restarts;
    before = follows ? std::move(last) : std::nullopt;
    last = EndedRun{*exit.run, exit.code, error_line(exit.words), duration_of(exit), std::nullopt};
  }
  // Its last lines may come after its end.
  if (steps) last->steps = std::max(*steps, last->steps.value_or(*steps));
  return before && are_alike(*before, *last);
}

namespace {

using std::chrono::seconds;

constexpr std::int64_t k_default_grace = 30;  // seconds, of a pod that does not say
constexpr std::int64_t k_longest_grace = 24 * 3600;
// For the garbage collector to reach the pods, and for the last lines on their way.
constexpr Duration k_a_little = seconds(15);

bool is_interruption(Code code) {
  return ending_signal(code) != nullptr || code == Code::broken_pipe;
}

std::string_view interruption(Code code) {
  const EndingSignal* signal = ending_signal(code);
  return signal != nullptr ? signal->what_happened : "the reader of stdout went away";
}

}  // namespace

bool is_given_up(const Status& verdict, EndedBy by, Phase phase, const LogSelection& selection) {
  if (verdict || is_final(phase) || by == EndedBy::lost_output) return false;
  const Code code = verdict.error().code;
  if (is_interruption(code)) return false;
  if (code == Code::usage || code == Code::not_found || code == Code::removed) return false;
  return code != Code::job_failed || selection.replica.empty();
}

std::string_view deleting_flag(const LeaveRules& rules, const Status& verdict, EndedBy by,
                               Phase phase, const LogSelection& selection) {
  if (verdict || is_final(phase)) return "";
  if (is_interruption(verdict.error().code) || by == EndedBy::lost_output) {
    return rules.on_interrupt == OnInterrupt::cancel ? "--on-interrupt=cancel" : "";
  }
  if (by == EndedBy::silence && rules.on_stall == OnStall::remove) return "--on-stall=delete";
  const bool given_up = is_given_up(verdict, by, phase, selection);
  return rules.on_give_up == OnGiveUp::remove && given_up ? "--on-give-up=delete" : "";
}

Error after_removal(Error verdict, std::string_view job_name, std::string_view flag,
                    const Status& removed) {
  if (is_interruption(verdict.code)) verdict.message = interruption(verdict.code);
  verdict.message +=
      cat("; job ", job_name, removed ? " was deleted (" : " was not deleted (", flag, ")");
  verdict.hint.clear();
  if (removed) return verdict;
  verdict.message += cat(": ", removed.error().message);
  verdict.hint = cat("the job continues; delete it: trainctl delete ", job_name);
  return verdict;
}

Duration longest_stop(const Kind& kind, const Json& job) {
  std::int64_t longest = 0;
  for (const Role& role : kind.roles) {
    if (replica_count(kind, job, role) == 0) continue;
    const std::string place =
        cat(kind.replica_specs, '/', role.name, "/template/spec/terminationGracePeriodSeconds");
    longest = std::max(longest, int_at(job, place).value_or(k_default_grace));
  }
  return seconds(std::min(longest, k_longest_grace)) + k_a_little;
}

Duration longest_grace(std::span<const Json> pods) {
  std::int64_t longest = 0;
  for (const Json& pod : pods) {
    const auto own = int_at(pod, "/spec/terminationGracePeriodSeconds");
    longest = std::max(longest, own.value_or(k_default_grace));
  }
  return seconds(longest);
}

namespace {

using std::chrono::seconds;

constexpr Duration k_lines_under_way = seconds(2);
// For pods that the operator stops: 30 s of grace and some.
constexpr Duration k_cleaning_up = seconds(45);

constexpr Duration k_leader_ends = seconds(2);
constexpr Duration k_operator_reacts = seconds(5);

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

// Pods are watched separately: one that runs now may have been deleted by the operator's clean-up.
bool runs_no_more(const ReplicaState& replica) {
  return replica.run.is_over() || replica.run.state == RunState::missing;
}

const ReplicaState* find_leader(const Kind& kind, const Json& job, const JobState& state) {
  const auto id = leader(kind, job);
  const auto found = std::ranges::find_if(
      state.replicas, [&id](const ReplicaState& replica) { return replica.id == id; });
  return found == state.replicas.end() ? nullptr : &*found;
}

// The operator will call the job succeeded, whatever its other replicas do.
bool leader_decides(const Json& job, const ReplicaState* leading) {
  return leading != nullptr && leading->run.state == RunState::succeeded &&
         text_at(job, "/spec/successPolicy") != "AllWorkers";
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
    return Ends{Error{Code::error,
                      cat("job ", text_at(job, "/metadata/name"), " succeeded, and did not fail")},
                grace};
  }
  if (!goal_.require_all || goal_.wait_for == WaitFor::running) return Ends{{}, grace};
  const auto& replicas = state.replicas;
  const auto failed = std::ranges::find_if(replicas, ended_in_failure);
  if (failed != replicas.end()) return Ends{succeeded_without(job, *failed), grace, *failed};
  if (!std::ranges::all_of(replicas, runs_no_more)) return GoesOn{};
  // Pods are watched separately: a failure may be on its way.
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
    const LastExit& exit = replica.last_exit;
    const auto steps =
        exit.run && steps_ ? steps_(replica.id, exit.run->restarts + 1) : std::nullopt;
    if (repeated_.take(replica, steps) && found == nullptr) found = &replica;
  }
  return goal_.ends_repeats ? found : nullptr;
}

Decision VerdictPolicy::decide_unfinished(const Json& job, const JobState& state) {
  const auto& replicas = state.replicas;
  const ReplicaState* const repeating = find_repeating(state);
  const ReplicaState* const leading = find_leader(kind_, job, state);
  if (leader_decides(job, leading)) return GoesOn{};
  const auto give_up = [](const ReplicaState& replica, Error why, Duration patience) {
    return GivesUp{cat(replica.id.name(), '/', replica.pod.uid),
                   patience,
                   {std::move(why), k_lines_under_way, replica}};
  };
  const auto hopeless = std::ranges::find_if(replicas, is_hopeless);
  if (hopeless != replicas.end()) {
    return give_up(*hopeless, could_not_start(job, *hopeless), k_leader_ends);
  }
  const bool is_limited =
      kind_.controller.bounds_retries ||
      int_at(job, cat(kind_.controller.run_policy, "/backoffLimit")).has_value();
  const bool may_fail_in_vain = !kind_.controller.bounds_retries;
  const auto crashing = std::ranges::find_if(replicas, [=](const auto& replica) {
    return (may_fail_in_vain && fails_in_vain(replica)) || (!is_limited && is_crash_loop(replica));
  });
  if (crashing != replicas.end()) {
    // The next pod would begin within that time.
    const bool in_new_pods = is_made_anew_in_vain(*crashing);
    return give_up(*crashing, crash_loop(job, *crashing), in_new_pods ? Duration{} : k_leader_ends);
  }
  const bool leader_works =
      leading != nullptr && leading != repeating && leading->run.state == RunState::running;
  if (repeating != nullptr && !leader_works) {
    return give_up(*repeating, fails_alike(job, *repeating), k_leader_ends);
  }
  const auto dead = goal_.fail_fast ? std::ranges::find_if(replicas, is_dead) : replicas.end();
  if (dead == replicas.end()) return GoesOn{};
  return give_up(*dead, dead_replica(job, state, *dead), k_operator_reacts);
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
