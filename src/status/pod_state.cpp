// Maps pod status to replica state; the states and reasons are those that kubelet and scheduler
// write.
#include "status/pod_state.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "status/exit_words.h"
#include "status/hints.h"
#include "status/init_containers.h"

namespace trainctl::job {

namespace {
// The reasons of a main container that waits for its node, and for init containers.
constexpr std::string_view k_creating = "ContainerCreating";
constexpr std::string_view k_initializing = "PodInitializing";

std::optional<Time> time_at(const Json& value, std::string_view pointer) {
  return parse_time(text_at(value, pointer));
}

// True when the pod's deletion ended this run. Times have a precision of one second. Within the
// second of the deletion, the exit code decides: a deletion sends SIGTERM at once, which programs
// may answer with 0, and SIGKILL when the grace is over.
bool was_ended_by_deletion(const Json& pod, const Json& terminated) {
  constexpr std::int64_t k_default_grace = 30;
  const auto due = time_at(pod, "/metadata/deletionTimestamp");
  const auto finished = time_at(terminated, "/finishedAt");
  if (!due || !finished) return due.has_value();
  // At the end of a deletion there is no grace left, and it is due when it was asked for.
  const auto own = int_at(pod, "/spec/terminationGracePeriodSeconds").value_or(k_default_grace);
  const auto left = int_at(pod, "/metadata/deletionGracePeriodSeconds").value_or(own);
  const Time asked = *due - std::chrono::seconds(left);
  if (*finished != asked) return *finished > asked;
  constexpr std::int64_t k_terminated = 143, k_killed = 137;
  const auto code = int_at(terminated, "/exitCode");
  return code == 0 || code == k_terminated || (code == k_killed && own <= 1);
}

// True for a container that had ended before its pod was deleted, as all who look at the pod see;
// one that waits for its next start has.
bool ended_before_deletion(const Json& pod, const Json* status) {
  if (status == nullptr) return false;
  const bool waits = find(*status, "/state/waiting") != nullptr;
  const Json* terminated = find(*status, waits ? "/lastState/terminated" : "/state/terminated");
  return terminated != nullptr && kube::is_being_deleted(pod) &&
         !was_ended_by_deletion(pod, *terminated);
}

// The first line keeps its indentation, as those behind it.
std::string last_words_of(const Json& terminated) {
  constexpr const char* k_blank = " \t\r\n";
  const std::string text = text_at(terminated, "/message");
  const auto written = text.find_first_not_of(k_blank);
  if (written == std::string::npos) return "";
  const auto begin = text.rfind('\n', written) + 1;  // 0 in the first line
  return text.substr(begin, text.find_last_not_of(k_blank) + 1 - begin);
}

bool is_out_of_memory(const Json& terminated) {
  return text_at(terminated, "/reason") == "OOMKilled";
}

// Reads the last finished run of the container: its present state, or the one before. For a pod
// that is deleted after restarts, it is the one before where the deletion ended the present one.
void read_exit(const Json& pod, const Json& status, ReplicaState& replica) {
  LastExit& exit = replica.last_exit;
  for (const std::string_view place : {"/state/terminated", "/lastState/terminated"}) {
    const Json* present = find(status, "/state/terminated");
    const bool cut_short = place == "/state/terminated" && replica.run.restarts > 0 &&
                           present != nullptr && was_ended_by_deletion(pod, *present);
    const Json* terminated = cut_short ? nullptr : find(status, place);
    if (terminated == nullptr) continue;
    if (const auto code = int_at(*terminated, "/exitCode")) {
      exit.code = static_cast<int>(*code);
    }
    const bool before_the_present =
        place != "/state/terminated" && find(status, "/state/waiting") == nullptr;
    exit.run = RunId{replica.pod.uid, replica.run.restarts.value_or(0) - int{before_the_present}};
    exit.began = time_at(*terminated, "/startedAt");
    exit.finished = time_at(*terminated, "/finishedAt");
    exit.words = last_words_of(*terminated);
    exit.out_of_memory = is_out_of_memory(*terminated);
    return;
  }
}

void read_unplaced(const Json& pod, PresentRun& run) {
  run.state = RunState::pending;
  const Json* scheduled = kube::find_condition(pod, "PodScheduled");
  if (scheduled == nullptr || text_at(*scheduled, "/status") != "False") return;
  run.reason = text_at(*scheduled, "/reason");
  run.message = text_at(*scheduled, "/message");
  run.since = time_at(*scheduled, "/lastTransitionTime");
  if (run.reason != "Unschedulable") return;
  run.start_failure = StartFailure{run.reason, printable_line(trim(run.message))};
}

// True while the main container waits for init containers; a node restarts those after its own
// restart.
bool is_initializing(const Json* status) {
  return status == nullptr || text_at(*status, "/state/waiting/reason") == k_initializing;
}

void read_container(const Json& pod, const Json& status, ReplicaState& replica) {
  PresentRun& run = replica.run;
  LastExit& exit = replica.last_exit;
  run.restarts = static_cast<int>(int_at(status, "/restartCount").value_or(0));
  if (const auto code = int_at(status, "/lastState/terminated/exitCode")) {
    run.exit_before = static_cast<int>(*code);
  }
  read_exit(pod, status, replica);
  run.start_failure = read_start_failure(status);
  if (find(status, "/state/running") != nullptr) {
    run.state = RunState::running;
    run.since = time_at(status, "/state/running/startedAt");
    return;
  }
  if (const Json* terminated = find(status, "/state/terminated")) {
    const bool restarts = text_at(pod, "/spec/restartPolicy") != "Never" &&
                          !(exit.code == 0 && text_at(pod, "/spec/restartPolicy") == "OnFailure");
    run.state = restarts         ? RunState::waiting
                : exit.code == 0 ? RunState::succeeded
                                 : RunState::failed;
    run.reason = text_at(*terminated, "/reason");
    run.message = last_words_of(*terminated);
    run.since = exit.finished;
    return;
  }
  run.state = RunState::waiting;
  run.reason = text_at(status, "/state/waiting/reason", k_creating);
  run.message = text_at(status, "/state/waiting/message");
}

// The container that keeps the pod running. A pod has ended when all its containers have, and the
// operator goes by pods (kubernetes/kubernetes#25908). Native sidecars, which are init containers,
// end with the others.
std::string keeper_of(const Json& pod, std::string_view main) {
  for (const Json& status : array_at(pod, "/status/containerStatuses")) {
    std::string name = text_at(status, "/name");
    if (name != main && find(status, "/state/running") != nullptr) return name;
  }
  return "";
}

void read_final_phase(const Json& pod, std::string_view phase, ReplicaState& replica) {
  PresentRun& run = replica.run;
  LastExit& exit = replica.last_exit;
  run.state = phase == "Failed" ? RunState::failed : RunState::succeeded;
  // Evicted and DeadlineExceeded are facts of the pod, not of the container.
  const bool is_told = !text_at(pod, "/status/reason").empty();
  const Json* cause =
      is_told ? find(pod, "/status") : kube::true_condition(pod, "DisruptionTarget");
  if (cause != nullptr) {
    run.reason = text_at(*cause, "/reason");
    run.message = text_at(*cause, "/message");
  }
  if (phase != "Failed" || exit.is_failure()) return;
  for (const Json& status : array_at(pod, "/status/containerStatuses")) {
    const auto code = int_at(status, "/state/terminated/exitCode");
    if (code.value_or(0) == 0) continue;
    exit.code = static_cast<int>(*code);
    exit.out_of_memory = is_out_of_memory(*find(status, "/state/terminated"));
    run.reason = text_at(status, "/state/terminated/reason");
    run.message = cat("container ", text_at(status, "/name"), ' ', exit_words(*code));
    return;
  }
}

// No container starts before its volumes are mounted. Clusters older than Kubernetes 1.29 do not
// have the condition.
bool is_mounted(const Json& pod) {
  const Json* sandbox = kube::find_condition(pod, k_sandbox_ready);
  if (sandbox != nullptr && text_at(*sandbox, "/status") == "True") return true;
  const Json& statuses = array_at(pod, "/status/initContainerStatuses");
  return std::ranges::any_of(
      statuses, [](const Json& status) { return find(status, "/state/waiting") == nullptr; });
}

constexpr int k_crash_loop = 3;  // restarts
constexpr Duration k_soon = std::chrono::minutes(2);

// True when the status does not say why the replica waits, so that events are needed. A volume that
// cannot be mounted is reported only by an event, which remains when a later attempt has succeeded.
// A node that lost the end of a run still backs off from it.
bool needs_events(const ReplicaState& replica) {
  if (replica.run.start_failure) return false;
  if (replica.run.reason == "CrashLoopBackOff") return !replica.last_exit.code;
  const bool creates = replica.run.reason == k_creating || replica.run.reason == k_initializing;
  return replica.run.state == RunState::waiting && creates && !replica.pod.mounted;
}

}  // namespace

bool is_made_anew_in_vain(const ReplicaState& replica) {
  return replica.failures.pods > k_crash_loop;
}

bool is_crash_loop(const ReplicaState& replica) {
  if (replica.run.restarts < k_crash_loop) return false;
  if (replica.run.reason == "CrashLoopBackOff") return true;
  const LastExit& exit = replica.last_exit;
  const bool failed = replica.run.state == RunState::waiting && exit.is_failure();
  return failed && replica.pod.placed && exit.finished &&
         *exit.finished - *replica.pod.placed < k_soon;
}

std::optional<Time> restart_time(const ReplicaState& replica) {
  constexpr std::string_view k_back_off = "back-off ";
  if (!replica.run.message.starts_with(k_back_off) || !replica.last_exit.finished) {
    return std::nullopt;
  }
  const auto pause = parse_duration(
      split_once(std::string_view(replica.run.message).substr(k_back_off.size()), ' ').first);
  if (!pause) return std::nullopt;
  return *replica.last_exit.finished + *pause;
}

bool was_alive_when_deleted(const Json& pod) {
  return int_at(pod, "/metadata/deletionGracePeriodSeconds").value_or(0) > 0;
}

std::string main_container(const Kind& kind, const Json& pod) {
  const Json& containers = array_at(pod, "/spec/containers");
  for (const Json& container : containers) {
    if (text_at(container, "/name") == kind.container) return std::string(kind.container);
  }
  return containers.empty() ? std::string(kind.container) : text_at(containers[0], "/name");
}

std::vector<std::string> container_names(const Json& pod) {
  std::vector<std::string> names;
  for (const std::string_view list : k_container_lists) {
    for (const Json& container : array_at(pod, cat("/spec/", list))) {
      names.push_back(text_at(container, "/name"));
    }
  }
  return names;
}

const Json* container_status(const Json& pod, std::string_view container) {
  for (const char* list : {"/status/containerStatuses", "/status/initContainerStatuses",
                           "/status/ephemeralContainerStatuses"}) {
    for (const Json& status : array_at(pod, list)) {
      if (text_at(status, "/name") == container) return &status;
    }
  }
  return nullptr;
}

void read_pod(const Kind& kind, const Json& pod, ReplicaState& replica) {
  replica.pod.name = text_at(pod, "/metadata/name");
  replica.pod.uid = text_at(pod, "/metadata/uid");
  replica.pod.node = text_at(pod, "/spec/nodeName");
  replica.run.since = time_at(pod, "/metadata/creationTimestamp");
  replica.pod.placed = time_at(pod, "/status/startTime");

  const std::string phase = text_at(pod, "/status/phase");
  const bool final_phase = phase == "Succeeded" || phase == "Failed";
  const std::string main = main_container(kind, pod);
  const Json* status = container_status(pod, main);
  if (replica.pod.node.empty() && !final_phase) {
    read_unplaced(pod, replica.run);
  } else if (!is_initializing(status) || !read_init(pod, replica)) {
    if (status != nullptr) {
      read_container(pod, *status, replica);
    } else {
      replica.run.state = RunState::waiting;
      replica.run.reason = k_creating;
    }
  }
  replica.pod.mounted = is_mounted(pod);
  if (replica.run.is_over() && !final_phase) replica.pod.kept_by = keeper_of(pod, main);
  if (final_phase) read_final_phase(pod, phase, replica);
  replica.pod.deleting = kube::is_being_deleted(pod);
  replica.last_exit.own = ended_before_deletion(pod, status);
  // A container in a pod that is being deleted does not end by its own doing.
  const bool stopped = replica.pod.deleting && (!final_phase || was_alive_when_deleted(pod));
  if (stopped) replica.run.state = RunState::terminating;
}

void read_events_of_pod(std::span<const Json* const> events, ReplicaState& replica) {
  if (!needs_events(replica)) return;
  std::vector<const Json*> own;
  for (const Json* event : events) {
    if (text_at(*event, "/involvedObject/uid") == replica.pod.uid) own.push_back(event);
  }
  std::optional<StartFailure> seen = last_start_failure(own);
  const bool mounts =
      seen && (seen->reason == "FailedMount" || seen->reason == "FailedAttachVolume");
  const bool backs_off = replica.run.reason == "CrashLoopBackOff";
  if (mounts != backs_off) replica.run.start_failure = std::move(seen);
}

}  // namespace trainctl::job
