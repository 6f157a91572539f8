// A creation that failed is known by its events, a replica by its container.
#include "status/blockers.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "status/events.h"
#include "status/hints.h"
#include "status/ownership.h"
#include "status/reported.h"

namespace trainctl::job {
namespace {

// The operator may try to create a pod again that it has only just created itself.
bool has_pod(const Evidence& evidence, const std::string& name) {
  return std::ranges::any_of(evidence.pods, [&name](const auto& entry) {
    return text_at(*entry.second, "/metadata/name") == name;
  });
}

// Another's pod has the name of one of the job's.
void name_stranger(const Evidence& evidence, const std::string& name, Blocker& blocker) {
  const auto stranger = evidence.strangers.find(name);
  if (stranger == evidence.strangers.end()) {
    blocker.hint =
        cat("trainctl get ", text_at(evidence.job, "/metadata/name"),
            " shows all jobs of this name; delete the other one, or choose another --name");
    return;
  }
  TakenName taken = describe_taken_name(evidence.kind, evidence.job, *stranger->second);
  blocker.message = std::move(taken.message);
  blocker.hint = std::move(taken.hint);
  if (taken.passes) blocker.reason = "WaitingForOldPods";
}

// True when a pod, or a suspension, is newer than the event, which is then about an earlier
// failure.
bool is_outdated(const Evidence& evidence, const Json& event) {
  const auto time = event_time(event);
  const Json* suspended = kube::find_condition(evidence.job, "Suspended");
  if (suspended != nullptr && kube::transition_time(*suspended) > time) return true;
  return std::ranges::any_of(evidence.pods, [time](const auto& entry) {
    return parse_time(text_at(*entry.second, "/metadata/creationTimestamp")) > time;
  });
}

bool is_of_creation(std::string_view reason) {
  return reason.starts_with("FailedCreate") || reason.ends_with("CreationFailed") ||
         reason.ends_with("FailedValidation") || reason == "ValidationError";
}

// Texts that precede the cause.
constexpr std::array<std::string_view, 2> k_wrappings = {
    "Error creating: ", "TrainJob resources reconciliation failed: "};

// Returns what went wrong in creating the job's pods and services, as its last Warning says.
std::optional<Blocker> creation_blocker(const Evidence& evidence) {
  const auto job_events = evidence.events_about(std::string(k_job_subject));
  for (auto newest = job_events.rbegin(); newest != job_events.rend(); ++newest) {
    const Json* event = *newest;
    const std::string reason = text_at(*event, "/reason");
    if (!is_of_creation(reason) || is_outdated(evidence, *event)) continue;
    std::string message = text_at(*event, "/message");
    for (const std::string_view wrapping : k_wrappings) {
      if (message.starts_with(wrapping)) message.erase(0, wrapping.size());
    }
    const std::string taken = taken_pod_name(message);
    if (has_pod(evidence, taken)) continue;
    Blocker blocker{"", "", reason, message, hint_for(reason, message), event_time(*event)};
    if (message.starts_with("object is being deleted")) {
      blocker.reason = "WaitingForOldPods";
      blocker.hint = "pods of an earlier job of this name are still terminating";
    } else if (!taken.empty()) {
      name_stranger(evidence, taken, blocker);
    }
    return blocker;
  }
  return std::nullopt;
}

bool lacks_pods(std::span<const ReplicaState> replicas) {
  return std::ranges::any_of(
      replicas, [](const ReplicaState& one) { return one.run.state == RunState::missing; });
}

// An operator that schedules gangs by Volcano creates no pod before the pod group fits, and says so
// nowhere (pkg/controller.v1/common/job.go).
std::optional<Blocker> gang_blocker(const Evidence& evidence) {
  const std::string policy = cat(evidence.kind.controller.run_policy, "/schedulingPolicy");
  if (object_at(evidence.job, policy).empty() || !evidence.pods.empty()) return std::nullopt;
  const std::string queue = text_at(evidence.job, policy + "/queue");
  return Blocker{"",
                 "",
                 "GangScheduling",
                 cat("the operator creates no pods until all fit at once",
                     queue.empty() ? "" : cat(" in queue ", queue)),
                 cat("kubectl describe podgroup ", text_at(evidence.job, "/metadata/name")),
                 parse_time(text_at(evidence.job, "/metadata/creationTimestamp"))};
}

}  // namespace

std::optional<Blocker> replica_blocker(std::span<const ReplicaState> replicas) {
  for (const ReplicaState& replica : replicas) {
    if (replica.run.runs_or_succeeded() || !replica.run.start_failure) continue;
    const auto& [reason, message] = *replica.run.start_failure;
    const std::string& pod = replica.pod.expected_name;
    return Blocker{replica.id.name(), pod, reason, message, hint_for(reason, message, pod),
                   replica.run.since};
  }
  return std::nullopt;
}

// The operator writes its first status only when every pod and service could be created, and later
// statuses say nothing of those that could not.
std::optional<Blocker> missing_pods_blocker(const Evidence& evidence,
                                            std::span<const ReplicaState> replicas) {
  const bool reacted = has_reacted(evidence.kind, evidence.job);
  if (reacted && !lacks_pods(replicas)) return std::nullopt;
  if (auto refused = creation_blocker(evidence)) return refused;
  return reacted ? gang_blocker(evidence) : std::nullopt;
}

std::vector<std::string> keeping_finalizers(const Json& object) {
  std::vector<std::string> finalizers;
  for (const Json& finalizer : array_at(object, "/metadata/finalizers")) {
    // The garbage collector's own goes with the pods.
    if (finalizer.is_string() && finalizer != "foregroundDeletion") {
      finalizers.push_back(printable_line(finalizer.get<std::string>()));
    }
  }
  return finalizers;
}

std::string deletion_words(const Json& job) {
  if (!kube::is_being_deleted(job)) return "";
  const std::vector<std::string> finalizers = keeping_finalizers(job);
  return finalizers.empty()
             ? "it is being deleted"
             : cat("it is being deleted, and kept by finalizers: ", join(finalizers, ", "));
}

Blocker deletion_blocker(const Json& job) {
  return Blocker{"",
                 "",
                 "BeingDeleted",
                 deletion_words(job),
                 cat("trainctl get ", text_at(job, "/metadata/name"),
                     " -o manifest shows the job's finalizers"),
                 parse_time(text_at(job, "/metadata/deletionTimestamp"))};
}

}  // namespace trainctl::job
