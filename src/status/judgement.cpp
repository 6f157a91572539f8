// Conditions, pods and events to one phase with its reason.
#include "status/judgement.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "manifest/manifest.h"
#include "status/blockers.h"
#include "status/exit_words.h"
#include "status/hints.h"
#include "status/ownership.h"
#include "status/pod_state.h"
#include "status/replica_states.h"
#include "status/reported.h"
#include "status/workload.h"

namespace trainctl::job {
namespace {

// The last line of a traceback names its error.
std::string end_of_message(std::string_view message) {
  message = trim(message);
  return printable_line(message.substr(message.rfind('\n') + 1));
}

std::string describe(const ReplicaState& replica) {
  std::string text = replica.id.name();
  if (replica.last_exit.out_of_memory) return text + " was OOMKilled (out of memory)";
  if (const std::string_view ended = pod_end_words(replica.run.reason); !ended.empty()) {
    const std::string message = printable_line(replica.run.message);
    return cat(text, ' ', ended, message.empty() ? "" : ": ", message);
  }
  return cat(text, ' ', exit_words(replica.last_exit.code));
}

std::string last_end(const LastExit& exit) {
  if (!exit.code) return "";
  return cat(", last exit code ", *exit.code,
             exit.out_of_memory ? " (OOMKilled: out of memory)" : "");
}

// The operator names a role, and deletes the pod that failed.
void judge_restarting(const Json& condition, JobState& state) {
  state.phase = Phase::restarting;
  state.reason = text_at(condition, "/reason");
  state.message = printable_line(text_at(condition, "/message"));
  state.since = kube::transition_time(condition);
  state.first_failed = find_first_failed(state.replicas, &condition);
  if (!state.first_failed) return;
  state.message = cat(describe(state.replicas[*state.first_failed]),
                      "; the operator starts it again in a new pod");
}

// When a job ran out of time, a replica that could start was at work until then.
bool was_at_work(const JobState& state) {
  return !state.first_failed || !state.replicas[*state.first_failed].never_started();
}

std::optional<std::size_t> first_never_started(const JobState& state) {
  const auto found = std::ranges::find_if(
      state.replicas, [](const ReplicaState& one) { return one.never_started(); });
  if (found == state.replicas.end()) return std::nullopt;
  return static_cast<std::size_t>(found - state.replicas.begin());
}

// A launcher's Job counts its retries, and says the same of one that may have none.
bool may_retry(const Kind& kind, const Json& job) {
  const bool is_counted_by_job = !kind.controller.counts_roles() && kind.controller.bounds_retries;
  return !is_counted_by_job || int_at(job, cat(kind.controller.run_policy, "/backoffLimit")) != 0;
}

void judge_failed(const Kind& kind, const Json& job, const Json& condition, JobState& state) {
  state.phase = Phase::failed;
  state.since = kube::transition_time(condition);
  state.message = printable_line(text_at(condition, "/message"));
  const auto says = [&state](std::string_view part) {
    return state.message.find(part) != std::string::npos;
  };
  const std::string reason = text_at(condition, "/reason");
  const bool restarted = reason == "ReachedMaxRestarts";  // as a whole, by the JobSet
  const bool retried = says("backoff limit") && may_retry(kind, job);
  state.reason = retried ? "BackoffLimitExceeded" : restarted ? reason : "ReplicaFailed";
  state.first_failed = find_first_failed(state.replicas, &condition);
  if (says("specified deadline") || reason == "DeadlineExceeded") {
    state.reason = "DeadlineExceeded";
    const auto limit = int_at(job, cat(kind.controller.run_policy, "/activeDeadlineSeconds"));
    if (limit) {
      state.message = cat("it was active for longer than ",
                          format_age(std::chrono::seconds(*limit)), ", its --active-deadline");
    }
    if (was_at_work(state)) state.first_failed.reset();  // it was started again since
  }
  if (!state.first_failed) state.first_failed = first_never_started(state);
  if (!state.first_failed) return;
  const ReplicaState& replica = state.replicas[*state.first_failed];
  const PresentRun& run = replica.run;
  if (replica.never_started()) {
    state.reason = run.start_failure->reason;
    state.message = cat(replica.id.name(), ": ", run.start_failure->words());
    return;
  }
  state.message = describe(replica);
  if (state.reason == "ReplicaFailed" && !run.reason.empty()) state.reason = run.reason;
  if (state.reason == "BackoffLimitExceeded") state.message += " (backoff limit reached)";
  if (restarted) state.message += " (its runtime allows no more restarts of the job)";
}

// The operator of the first version calls such a job restarting, and never creates the launcher's
// pod anew.
bool abandons_launcher(const Evidence& evidence, const JobState& state) {
  const Kind& kind = evidence.kind;
  if (!kind.has_launcher() || kind.controller.bounds_retries) return false;
  return std::ranges::any_of(state.replicas, [&](const ReplicaState& replica) {
    const std::string policy =
        cat(kind.replica_specs, '/', replica.id.role->name, "/restartPolicy");
    return replica.id.role->leads() && replica.run.state == RunState::failed &&
           replica.pod.stands() && text_at(evidence.job, policy) == "ExitCode";
  });
}

void judge_stopped(const Json& job, JobState& state) {
  state.blocker.reset();  // what its former pods met is not what it waits for
  const std::string queue = queue_of(job);
  state.phase = queue.empty() ? Phase::suspended : Phase::queued;
  state.reason = queue.empty() ? "Suspended" : "Queued";
  state.message = queue.empty() ? "" : cat("waits for admission to queue ", queue);
  if (const Json* suspended = kube::true_condition(job, "Suspended")) {
    state.since = kube::transition_time(*suspended);
  }
}

// The one whose end the others wait for.
const ReplicaState* find_preparing(const JobState& state) {
  const auto found = std::ranges::find_if(state.replicas, [](const ReplicaState& one) {
    return one.id.role->prepares() && one.run.state == RunState::running;
  });
  return found == state.replicas.end() ? nullptr : &*found;
}

// The operator does not report that it runs: the pods show how far it has come.
void judge_starting(JobState& state) {
  if (const ReplicaState* preparing = find_preparing(state)) {
    state.phase = Phase::pending;
    state.reason = "Initializing";
    state.message = cat(preparing->id.name(), " is running");
    state.since = preparing->run.since;
    return;
  }

  const auto any = [&state](RunState wanted) {
    return std::ranges::any_of(state.replicas,
                               [wanted](const ReplicaState& r) { return r.run.state == wanted; });
  };
  const bool unplaced = any(RunState::missing) || any(RunState::pending);
  state.phase = unplaced ? Phase::pending : Phase::starting;
  for (const ReplicaState& replica : state.replicas) {
    const PresentRun& run = replica.run;
    if (run.runs_or_succeeded()) continue;
    state.reason = run.reason;
    state.message = replica.id.name();
    if (run.state == RunState::missing) state.message += " has no pod yet";
    if (!run.reason.empty()) state.message += ": " + run.reason;
    if (!run.message.empty()) state.message += ": " + end_of_message(run.message);
    state.since = run.since;
    return;
  }
}

void judge_running(std::optional<Time> since, JobState& state) {
  state.phase = Phase::running;
  state.since = since;
  for (const ReplicaState& replica : state.replicas) {
    if (replica.run.reason != "CrashLoopBackOff" || replica.never_started()) continue;
    state.phase = Phase::restarting;
    if (replica.failures.first) state.since = replica.failures.first;
    state.reason = replica.run.reason;
    state.message =
        cat(replica.id.name(), ": restarted ", plural(replica.run.restarts.value_or(0), "time"),
            last_end(replica.last_exit));
    return;
  }
  if (const ReplicaState* kept = first_kept(state)) {
    state.reason = k_sidecar_running;
    state.message =
        cat(describe(*kept), ", but its container ", kept->pod.kept_by, " keeps the pod running");
  }
}

// The operator's conditions change with each pod that it makes anew.
void judge_made_anew(JobState& state) {
  for (const ReplicaState& replica : state.replicas) {
    if (!is_made_anew_in_vain(replica) || replica.never_started()) continue;
    state.phase = Phase::restarting;
    if (replica.failures.first) state.since = replica.failures.first;
    state.reason = "CrashLoop";
    state.message = cat(replica.id.name(), ": failed ", plural(replica.failures.pods, "time"),
                        ", each time in a new pod", last_end(replica.last_exit));
    return;
  }
}

bool has_bad_program(const JobState& state) {
  return state.blocker && StartFailure{state.blocker->reason, ""}.is_of_program();
}

void name_blocker(JobState& state) {
  const Blocker& blocker = *state.blocker;
  const bool others_run = state.phase == Phase::running;
  state.reason = blocker.reason;
  state.message = blocker.replica;
  if (!blocker.replica.empty()) state.message += others_run ? " has not started: " : ": ";
  state.message += printable_line(blocker.words());
  if (blocker.since && !others_run) state.since = blocker.since;
}

// Says so whatever the job has come to, since its own words would hide it. One without pods waits
// for its finalizers alone.
void name_deletion(const Evidence& evidence, JobState& state) {
  const std::string words = deletion_words(evidence.job);
  if (words.empty()) return;
  if (is_final(state.phase)) {
    state.message += cat(state.message.empty() ? "" : "; ", words);
    return;
  }
  if (evidence.pods.empty()) state.phase = Phase::pending;
  state.blocker = deletion_blocker(evidence.job);
  name_blocker(state);
}

// True when the conditions alone settle it.
bool judge_final(const Evidence& evidence, JobState& state) {
  const Kind& kind = evidence.kind;
  const Json& job = evidence.job;
  const Json* failed = kube::true_condition(job, "Failed");
  const Json* succeeded = kube::true_condition(job, kind.controller.success);
  if (failed != nullptr && succeeded != nullptr &&
      kube::transition_time(*succeeded) > kube::transition_time(*failed)) {
    failed = nullptr;
  }
  if (failed != nullptr) {
    judge_failed(kind, job, *failed, state);
    return true;
  }
  const Json* restarting = kube::true_condition(job, "Restarting");
  if (succeeded == nullptr && restarting != nullptr && abandons_launcher(evidence, state)) {
    judge_failed(kind, job, *restarting, state);
    state.message += "; the operator does not restart the launcher";
    return true;
  }
  if (succeeded == nullptr) return false;
  state.phase = Phase::succeeded;
  state.since = kube::transition_time(*succeeded);
  return true;
}

// The operator may fail before it writes that a job has been resumed, so the condition alone does
// not count.
bool is_stopped(const Evidence& evidence) {
  const Json& job = evidence.job;
  return true_at(job, evidence.kind.controller.suspend) &&
         (array_at(job, "/status/conditions").empty() ||
          kube::true_condition(job, "Suspended") != nullptr);
}

void judge_alive(const Evidence& evidence, JobState& state) {
  const Json& job = evidence.job;
  const bool reacted = has_reacted(evidence.kind, job);
  if (is_stopped(evidence)) {
    judge_stopped(job, state);
    return;
  }
  if (!state.blocker) state.blocker = missing_pods_blocker(evidence, state.replicas);
  if (!reacted) {
    state.phase = state.blocker ? Phase::pending : Phase::submitted;
    state.reason = "NoStatus";
    state.message = "the operator has not reacted yet";
    state.since = parse_time(text_at(job, "/metadata/creationTimestamp"));
  } else if (const Json* restarting = kube::true_condition(job, "Restarting")) {
    judge_restarting(*restarting, state);
  } else if (const auto running = read_running(evidence.kind, job, state.replicas)) {
    judge_running(running->since, state);
  } else {
    judge_starting(state);
  }
  if (reacted && !evidence.kind.controller.bounds_retries) judge_made_anew(state);
  if (!state.blocker) return;
  // The operator says Running or Restarting of a pod whose program cannot be executed.
  const bool runs = state.phase == Phase::running || state.phase == Phase::restarting;
  if (runs && has_bad_program(state)) state.phase = Phase::starting;
  if (state.phase != Phase::restarting || state.blocker->replica.empty()) name_blocker(state);
}

}  // namespace

std::string failures_beside_success(std::span<const ReplicaState> replicas) {
  const auto failed = std::ranges::count_if(replicas, failed_by_itself);
  if (failed == 0) return "";
  const std::string first = describe(*std::ranges::find_if(replicas, failed_by_itself));
  return failed == 1 ? first : cat(first, " and ", failed - 1, " more failed");
}

JobState judge(const Kind& kind, const Json& job, std::span<const Json> pods,
               std::span<const Json> events, std::span<const Json> gone) {
  return judge(
      gather_evidence({kind, job}, pointers_to(pods), pointers_to(gone), pointers_to(events)));
}

JobState judge(const Evidence& evidence) {
  JobState state;
  state.replicas = read_replicas(evidence);
  state.first_failed = find_first_failed(state.replicas, nullptr);
  if (judge_final(evidence, state)) {
    fail_crashed(state.replicas);
    if (state.phase == Phase::succeeded) state.message = failures_beside_success(state.replicas);
  } else {
    state.blocker = replica_blocker(state.replicas);
    judge_alive(evidence, state);
  }
  name_deletion(evidence, state);
  return state;
}

}  // namespace trainctl::job
