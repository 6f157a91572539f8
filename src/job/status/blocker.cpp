// Reads it off the operator's events about the job, and off the replicas.
#include "job/status/blocker.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/text.h"
#include "job/status/events.h"
#include "job/status/hints.h"
#include "job/status/taken_name.h"

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

// Pods have been made since the event.
bool is_outdated(const Evidence& evidence, const Json& event) {
  const auto made_since = [&event](const auto& entry) {
    return parse_time(text_at(*entry.second, "/metadata/creationTimestamp")) > event_time(event);
  };
  return std::ranges::any_of(evidence.pods, made_since);
}

bool is_of_creation(std::string_view reason) {
  return reason.starts_with("FailedCreate") || reason.ends_with("CreationFailed") ||
         reason.ends_with("FailedValidation") || reason == "ValidationError";
}

// Texts that precede the cause.
constexpr std::array<std::string_view, 2> k_wrappings = {
    "Error creating: ", "TrainJob resources reconciliation failed: "};

}  // namespace

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

std::optional<Blocker> find_blocker(const std::vector<ReplicaState>& replicas) {
  for (const ReplicaState& replica : replicas) {
    if (replica.run.runs_or_succeeded() || !replica.run.start_failure) continue;
    const auto& [reason, message] = *replica.run.start_failure;
    const std::string& pod = replica.pod.expected_name;
    return Blocker{replica.id.name(), pod, reason, message, hint_for(reason, message, pod),
                   replica.run.since};
  }
  return std::nullopt;
}

}  // namespace trainctl::job
