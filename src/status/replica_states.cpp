// Pods and events to the replicas they belong to.
#include "status/replica_states.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "status/events.h"
#include "status/pod_state.h"
#include "status/reported.h"

namespace trainctl::job {
namespace {

// Reads what the operator's events about a job say about one of its pods. They outlast the pod.
// Pure.
struct PodExit {
  int code;
  std::optional<Time> first, last;
  std::int64_t count;  // how often the operator said so: it repeats itself at each pass
};

// The end of the latest run with this exit code: its reason (OOMKilled) and termination message,
// with its line ends. The operator repeats those of containers that crash in a pod that goes on;
// both are "" when there is none.
struct RepeatedEnd {
  std::string reason, words;
};

// "Pod: NS.POD exited with code N"
// Returns how the pod's containers ended. `job_events` are those about the job, in the order of
// time.
std::vector<PodExit> read_exits(std::span<const Json* const> job_events, const std::string& pod) {
  const std::string start = cat('.', pod, " exited with code ");
  std::vector<PodExit> exits;
  for (const Json* event : job_events) {
    if (text_at(*event, "/reason") != "ExitedWithCode") continue;
    const std::string message = text_at(*event, "/message");
    const auto at = message.find(start);
    if (at == std::string::npos) continue;
    exits.push_back({std::atoi(message.c_str() + at + start.size()), first_event_time(*event),
                     event_time(*event), event_count(*event)});
  }
  return exits;
}

// Counts how often the operator said that it restarts this role: at each pass over a failed pod
// that it makes anew.
std::int64_t count_restarts(std::span<const Json* const> job_events, std::string_view job_name,
                            const Role& role) {
  const std::string message =
      cat("job ", job_name, " is restarting because ", role.name, " replica(s) failed.");
  std::int64_t restarts = 0;
  for (const Json* event : job_events) {
    if (text_at(*event, "/message") == message) restarts += event_count(*event);
  }
  return restarts;
}

// "Error pod POD container CONTAINER exitCode: N terminated message: WORDS"
RepeatedEnd read_repeated_end(const Kind& kind, std::span<const Json* const> job_events,
                              const std::string& pod, int exit_code) {
  const std::string start = cat("Error pod ", pod, " container ");
  const std::string middle = cat(" exitCode: ", exit_code, " terminated message: ");
  RepeatedEnd end;
  for (const Json* event : job_events) {
    const std::string message = text_at(*event, "/message");
    const auto at = message.find(middle);
    if (!message.starts_with(start) || at == std::string::npos) continue;
    const std::string container = message.substr(start.size(), at - start.size());
    if (kind.container_required && container != kind.container) continue;
    end = {text_at(*event, "/reason"), std::string(trim(message.substr(at + middle.size())))};
  }
  return end;
}

constexpr int k_start_error_exit = 128;

// Pods of one replica that failed one after another.
struct FailedPods {
  std::int64_t count = 0;
  std::optional<Time> first = {}, last = {};

  // 0 where they were not short-lived.
  int soon_after_start() const {
    constexpr Duration k_pod_life = std::chrono::minutes(2);  // a pod's whole life
    if (count < 2 || !first || !last || *last - *first > (count - 1) * k_pod_life) return 0;
    return static_cast<int>(count);
  }
};

// Counts by the operator's events about the job. They report an exit, and a restart of the role,
// each time the operator looks at the pod: the smaller number counts. An operator that looks four
// times within a second, as when Kueue drains a queue, saw one pod.
FailedPods failures_told(const Evidence& evidence, const std::vector<PodExit>& exits,
                         const ReplicaState& replica) {
  std::int64_t failures = 0;
  std::optional<Time> first, last;
  for (const PodExit& exit : exits) {
    if (exit.code == 0 || !exit.first || !exit.last) continue;
    failures += exit.count;
    first = std::min(first.value_or(*exit.first), *exit.first);
    last = std::max(last.value_or(*exit.last), *exit.last);
  }
  if (failures == 0) return {};
  const Role& role = *replica.id.role;
  const std::int64_t restarts = count_restarts(evidence.events_about(std::string(k_job_subject)),
                                               text_at(evidence.job, "/metadata/name"), role) /
                                std::max(1, replica_count(evidence.kind, evidence.job, role));
  const bool is_to_be_restarted = replica.run.state == RunState::failed;
  const std::int64_t possible =
      1 + std::chrono::floor<std::chrono::seconds>(*last - *first).count();
  return {std::min({restarts + int{is_to_be_restarted}, failures, possible}), first, last};
}

// A server keeps only the first events of a job with many pods; a watcher has seen each pod.
FailedPods failures_seen(const Evidence& evidence, const ReplicaId& id) {
  const auto found = evidence.failed.find(id);
  if (found == evidence.failed.end()) return {};
  const auto created = [](const Json* pod) {
    return parse_time(text_at(*pod, "/metadata/creationTimestamp"));
  };
  const Objects& failed = found->second;
  return {std::ssize(failed), created(failed.front()), created(failed.back())};
}

void count_failures(const Evidence& evidence, const std::vector<PodExit>& exits,
                    ReplicaState& replica) {
  const FailedPods told = failures_told(evidence, exits, replica);
  const FailedPods seen = failures_seen(evidence, replica.id);
  replica.failures.pods = std::max(told.soon_after_start(), seen.soon_after_start());
  const bool has_no_successor =
      replica.run.state == RunState::failed ||
      (replica.run.state == RunState::missing && replica.last_exit.is_failure());
  const auto failed = static_cast<int>(std::max(told.count, seen.count));
  replica.failures.replaced = std::max(0, failed - int{has_no_successor});
}

// The operator's record stays when the pod runs again, crashes again and is deleted.
void read_first_failure(const std::vector<PodExit>& exits, ReplicaState& replica) {
  std::optional<Time>& first = replica.failures.first;
  for (const PodExit& exit : exits) {
    if (exit.code == 0 || !exit.first) continue;
    replica.failures.reported = true;
    first = std::min(first.value_or(*exit.first), *exit.first);
  }
  if (!first && replica.last_exit.is_failure()) first = replica.last_exit.finished;
}

// Exit codes of a program that could not be executed: 128 by containerd, the shell's two by others.
bool is_of_start(int exit_code) {
  return exit_code >= 126 && exit_code <= 128;
}

// Reads the events of a replica without a pod. An image that was pulled after all leaves its events
// behind, and a program that ran then need not have ended yet.
void read_start_events(const Evidence& evidence, ReplicaState& replica) {
  auto seen = last_start_failure(evidence.events_about(replica.id.name()));
  if (!seen) return;
  const bool counts =
      seen->is_of_program()
          ? is_of_start(replica.last_exit.code.value_or(k_start_error_exit))
          : !replica.last_exit.code && may_never_have_run(evidence.kind, evidence.job);
  if (counts) replica.run.start_failure = std::move(seen);
}

// Takes from the replica's last pod what is still true of the replica.
void read_last_pod(const Evidence& evidence, const Json& pod, ReplicaState& replica) {
  ReplicaState seen;
  seen.id = replica.id;
  read_pod(evidence.kind, pod, seen);
  replica.pod.expected_name = seen.pod.name;
  replica.pod.node = seen.pod.node;
  replica.pod.placed = seen.pod.placed;
  replica.run.restarts = seen.run.restarts;
  // Its present run may have been ended by the deletion: that is no exit of its own.
  const bool own = (seen.run.is_over() && !was_alive_when_deleted(pod)) || seen.run.restarts > 0 ||
                   seen.never_started();
  if (!own && !seen.last_exit.own) return;
  replica.run.reason = seen.run.reason;
  replica.run.message = seen.run.message;
  replica.run.start_failure = seen.run.start_failure;
  replica.last_exit = seen.last_exit;
}

void read_missing(const Evidence& evidence, const Json* last_pod, const std::vector<PodExit>& exits,
                  ReplicaState& replica) {
  PresentRun& run = replica.run;
  LastExit& exit = replica.last_exit;
  run.state = RunState::missing;
  if (last_pod != nullptr) {
    read_last_pod(evidence, *last_pod, replica);
  } else if (!exits.empty() || has_ended(evidence.kind, evidence.job)) {
    run.restarts.reset();
  }
  if (!exit.code && !exits.empty()) {
    exit.code = exits.back().code;
    exit.finished = exits.back().last;
  }
  if (exit.code && exit.words.empty()) {
    auto end = read_repeated_end(evidence.kind, evidence.events_about(std::string(k_job_subject)),
                                 replica.pod.expected_name, *exit.code);
    exit.out_of_memory = end.reason == "OOMKilled";
    if (run.reason.empty()) run.reason = std::move(end.reason);
    exit.words = std::move(end.words);
    if (run.message.empty()) run.message = exit.words;
  }
  if (!run.start_failure) read_start_events(evidence, replica);
}

ReplicaState read_replica(const Evidence& evidence, const ReplicaId& id) {
  ReplicaState replica;
  replica.id = id;
  replica.rank = rank_of(evidence.kind, evidence.job, id);
  replica.pod.expected_name = pod_name(evidence.kind, text_at(evidence.job, "/metadata/name"), id);
  const std::vector<PodExit> exits =
      read_exits(evidence.events_about(std::string(k_job_subject)), replica.pod.expected_name);
  if (const auto pod = evidence.pods.find(id); pod != evidence.pods.end()) {
    read_pod(evidence.kind, *pod->second, replica);
    replica.pod.expected_name = replica.pod.name;
    read_events_of_pod(evidence.events_about(id.name()), replica);
  } else {
    const auto last = evidence.gone.find(id);
    read_missing(evidence, last == evidence.gone.end() ? nullptr : last->second, exits, replica);
  }
  read_first_failure(exits, replica);
  count_failures(evidence, exits, replica);
  return replica;
}

bool has_failed(const ReplicaState& replica) {
  if (replica.run.start_failure && replica.run.start_failure->is_of_program()) return true;
  if (replica.run.state != RunState::failed && !replica.last_exit.is_failure()) return false;
  // A failure before the deletion still counts.
  return !replica.pod.deleting || replica.run.restarts > 0 || replica.failures.reported;
}

// Its pod says when its only run ended.
bool ended_once(const ReplicaState& replica) {
  const LastExit& exit = replica.last_exit;
  return exit.is_failure() && exit.run && exit.run->restarts == 0 && exit.finished &&
         replica.run.restarts.value_or(0) == 0;
}

// By SIGTERM or SIGKILL, and not for want of memory.
bool was_stopped(const ReplicaState& replica) {
  constexpr int k_terminated = 143, k_killed = 137;
  const LastExit& exit = replica.last_exit;
  return exit.code == k_terminated || (exit.code == k_killed && !exit.out_of_memory);
}

// "… is failed because 1 Worker replica(s) failed.", "… (first failed job: ddp-node-0)"
bool blames(const Json* failed, const ReplicaState& replica) {
  if (failed == nullptr) return false;
  const std::string message = text_at(*failed, "/message");
  const std::string_view role = replica.id.role->name;
  return message.find(cat(' ', role, " replica(s) failed")) != std::string::npos ||
         message.ends_with(cat('-', role, "-0)"));
}

}  // namespace

std::vector<ReplicaState> read_replicas(const Evidence& evidence) {
  std::vector<ReplicaId> seen;
  for (const PodsByReplica* pods : {&evidence.pods, &evidence.gone}) {
    for (const auto& [id, pod] : *pods) seen.push_back(id);
  }
  std::vector<ReplicaState> replicas;
  for (const ReplicaId& id : expected_replicas(evidence.kind, evidence.job, seen)) {
    replicas.push_back(read_replica(evidence, id));
  }
  return replicas;
}

bool ended_in_failure(const ReplicaState& replica) {
  if (replica.run.state == RunState::failed) return true;
  if (!replica.last_exit.is_failure() || replica.never_started()) return false;
  if (replica.last_exit.own) return true;
  // Without a pod, an exit before a restart says nothing about the run that followed.
  const bool is_gone =
      replica.run.state == RunState::missing && replica.run.restarts.value_or(0) == 0;
  return replica.run.state == RunState::waiting || is_gone;
}

bool failed_by_itself(const ReplicaState& replica) {
  return ended_in_failure(replica) && (!replica.pod.deleting || replica.last_exit.own);
}

void fail_crashed(std::vector<ReplicaState>& replicas) {
  for (ReplicaState& replica : replicas) {
    if (replica.run.state != RunState::waiting || !ended_in_failure(replica)) continue;
    replica.run.state = RunState::failed;
    if (replica.run.reason == "CrashLoopBackOff") replica.run.reason.clear();
  }
}

// A role's failure, which the operator records before it fails the job; not a limit that was
// reached.
bool is_of_a_replica(const Json* failed) {
  if (failed == nullptr) return false;
  const std::string message = text_at(*failed, "/message");
  return message.find("limit") == std::string::npos &&
         message.find("deadline") == std::string::npos;
}

namespace {

// The smaller one failed earlier.
struct FailureOrder {
  Time second;       // the cluster's times are whole seconds
  bool had_memory;   // within a second, the replica without memory is the cause
  bool was_stopped;  // clean-up stops all others within the second in which one fails

  auto operator<=>(const FailureOrder&) const = default;
};

// `end`: of the job.
FailureOrder failure_order(const ReplicaState& replica, std::optional<Time> end) {
  // The operator may see several ends at once, so the container's own time counts as well.
  Time time = std::min(replica.failures.first.value_or(Time::max()),
                       replica.last_exit.finished.value_or(Time::max()));
  // A container that keeps crashing after the job has failed moves the end of its last run.
  if (replica.run.restarts > 0 && end) time = std::min(time, *end);
  // Memory ran out before the container ended, and peers may notice first.
  const bool no_memory = replica.last_exit.out_of_memory;
  const std::chrono::seconds earlier{no_memory ? 1 : 0};
  return {std::chrono::floor<std::chrono::seconds>(time) - earlier, !no_memory,
          was_stopped(replica)};
}

// The failed replicas, in the order of their ranks: of these the ones that the job's reason names,
// if it names any; of these the ones whose failure the operator reported, if it did, because its
// events still say so when clean-up has removed the others' pods.
std::vector<const ReplicaState*> suspects(const std::vector<ReplicaState>& replicas,
                                          const Json* failed) {
  std::vector<const ReplicaState*> those;
  for (const ReplicaState& replica : replicas) {
    if (has_failed(replica)) those.push_back(&replica);
  }
  const auto narrow = [&those](auto is_meant) {
    if (std::ranges::none_of(those, is_meant)) return;
    std::erase_if(those, std::not_fn(is_meant));
  };
  narrow([failed](const ReplicaState* one) { return blames(failed, *one); });
  if (is_of_a_replica(failed)) {
    narrow([](const ReplicaState* one) { return one->failures.reported; });
  }
  return those;
}

}  // namespace

std::optional<std::size_t> find_first_failed(const std::vector<ReplicaState>& replicas,
                                             const Json* failed) {
  const std::optional<Time> end =
      failed == nullptr ? std::nullopt : parse_time(text_at(*failed, "/lastTransitionTime"));
  const auto order = [end](const ReplicaState* one) { return failure_order(*one, end); };
  const auto second = [end](const ReplicaState* one) { return failure_order(*one, end).second; };
  const auto those = suspects(replicas, failed);
  if (those.empty()) return std::nullopt;
  const ReplicaState* first = *std::ranges::min_element(those, {}, order);
  // A container that had ended in an earlier second failed first, whichever the operator saw: its
  // peers failed for want of it.
  if (ended_once(*first)) {
    for (const ReplicaState& replica : replicas) {
      if (has_failed(replica) && ended_once(replica) && second(&replica) < second(first)) {
        first = &replica;
      }
    }
  }
  return static_cast<std::size_t>(first - replicas.data());
}

std::vector<const ReplicaState*> failed_after(const JobState& state) {
  constexpr Duration k_soon = std::chrono::minutes(1);
  constexpr std::array k_codes = {1, 134, 143};  // an exception, SIGABRT, SIGTERM
  if (state.phase != Phase::failed || !state.first_failed) return {};
  const ReplicaState& first = state.replicas[*state.first_failed];
  if (!ended_once(first)) return {};
  std::vector<const ReplicaState*> after;
  for (const ReplicaState& one : state.replicas) {
    if (!has_failed(one) || !ended_once(one)) continue;
    const Duration later = *one.last_exit.finished - *first.last_exit.finished;
    const bool is_typical = std::ranges::find(k_codes, *one.last_exit.code) != k_codes.end();
    if (is_typical && later > Duration{} && later <= k_soon) after.push_back(&one);
  }
  return after;
}

}  // namespace trainctl::job
