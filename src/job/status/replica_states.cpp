// Pods and events to the replicas they belong to.
#include "job/status/replica_states.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "job/status/pod_state.h"

namespace trainctl::job {

namespace {

using PodsByReplica = std::map<ReplicaId, const Json*>;

// Of the pods that claim to be the same replica, the one that lives, else the newest.
PodsByReplica pods_by_replica(const Kind& kind, std::string_view uid, std::span<const Json> pods) {
  PodsByReplica best;
  const auto weight = [](const Json& pod) {
    const bool deleting = find(pod, "/metadata/deletionTimestamp") != nullptr;
    return std::pair(!deleting, text_at(pod, "/metadata/creationTimestamp"));
  };
  for (const Json& pod : pods) {
    const auto id = owned_by(pod, uid) ? replica_of(kind, pod) : std::nullopt;
    if (!id) continue;
    const auto [entry, first] = best.try_emplace(*id, &pod);
    if (!first && weight(pod) > weight(*entry->second)) entry->second = &pod;
  }
  return best;
}

// The exit code of a replica whose pod is gone: the operator leaves it in an event of the job,
// "Pod: NS.POD exited with code N" (training-operator pkg/controller.v1/common/pod.go).
void read_exit_event(const std::vector<Json>& job_events, const std::string& pod_name,
                     ReplicaState& replica) {
  for (const Json& event : job_events) {
    if (text_at(event, "/reason") != "ExitedWithCode") continue;
    const std::string message = text_at(event, "/message");
    const std::string start = cat('.', pod_name, " exited with code ");
    const auto at = message.find(start);
    if (at == std::string::npos) continue;
    replica.exit_code = std::atoi(message.c_str() + at + start.size());
    replica.finished = event_time(event);
  }
}

}  // namespace

EventsByUid events_by_uid(std::span<const Json> events) {
  EventsByUid about;
  for (const Json& event : events) about[text_at(event, "/involvedObject/uid")].push_back(event);
  for (auto& [uid, own] : about) {
    std::stable_sort(own.begin(), own.end(), [](const Json& a, const Json& b) {
      return event_time(a).value_or(Time{}) < event_time(b).value_or(Time{});
    });
  }
  return about;
}

std::vector<ReplicaState> read_replicas(const Kind& kind, const Json& job,
                                        std::span<const Json> pods,
                                        const std::vector<Json>& job_events) {
  const PodsByReplica own = pods_by_replica(kind, text_at(job, "/metadata/uid"), pods);
  std::vector<ReplicaState> replicas;
  for (const ReplicaId& id : expected_replicas(kind, job)) {
    ReplicaState replica;
    replica.id = id;
    replica.rank = rank_of(kind, job, id);
    if (const auto pod = own.find(id); pod != own.end()) {
      read_pod(kind, *pod->second, replica);
    } else {
      replica.state = RunState::missing;
      read_exit_event(job_events, cat(text_at(job, "/metadata/name"), '-', id.name()), replica);
    }
    replicas.push_back(std::move(replica));
  }
  return replicas;
}

std::optional<std::size_t> find_first_failed(const std::vector<ReplicaState>& replicas) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const ReplicaState& replica = replicas[i];
    const bool failed = replica.state == RunState::failed || replica.exit_code.value_or(0) != 0;
    // What failed before it was deleted still did.
    if (!failed || (replica.deleting && replica.restarts == 0)) continue;
    if (!first ||
        replica.finished.value_or(Time::max()) < replicas[*first].finished.value_or(Time::max())) {
      first = i;
    }
  }
  return first;
}

}  // namespace trainctl::job
