// Chooses one pod for each replica, and puts the events of each in order.
#include "job/status/evidence.h"

#include <algorithm>
#include <utility>

#include "job/status/events.h"
#include "job/status/pod_state.h"
#include "kube/object/metadata.h"

namespace trainctl::job {

namespace {

// Picks the living pod of each replica, else the newest.
PodsByReplica pods_by_replica(const JobOwnership& ownership, const Objects& pods) {
  PodsByReplica best;
  const auto weight = [](const Json& pod) {
    const bool deleting = kube::is_being_deleted(pod);
    return std::pair(!deleting, text_at(pod, "/metadata/creationTimestamp"));
  };
  for (const Json* pod : pods) {
    const auto id = ownership.owns(*pod) ? replica_of(ownership.kind(), *pod) : std::nullopt;
    if (!id) continue;
    const auto [entry, first] = best.try_emplace(*id, pod);
    if (!first && weight(*pod) > weight(*entry->second)) entry->second = pod;
  }
  return best;
}

// Most replicas have no failed pod.
std::map<ReplicaId, Objects> failed_pods(const JobOwnership& ownership, const Objects& pods,
                                         const Objects& gone) {
  std::map<ReplicaId, Objects> failed;
  for (const Objects* list : {&pods, &gone}) {
    for (const Json* pod : *list) {
      if (text_at(*pod, "/status/phase") != "Failed" || !ownership.owns(*pod)) continue;
      if (was_alive_when_deleted(*pod)) continue;
      if (const auto id = replica_of(ownership.kind(), *pod)) failed[*id].push_back(pod);
    }
  }
  for (auto& [id, own] : failed) {
    std::ranges::sort(own, [](const Json* a, const Json* b) {
      return text_at(*a, "/metadata/creationTimestamp") <
             text_at(*b, "/metadata/creationTimestamp");
    });
  }
  return failed;
}

}  // namespace

Objects pointers_to(std::span<const Json> objects) {
  Objects pointers;
  pointers.reserve(objects.size());
  for (const Json& object : objects) pointers.push_back(&object);
  return pointers;
}

std::span<const Json* const> Evidence::events_about(const std::string& subject) const {
  const auto found = events.find(subject);
  if (found == events.end()) return {};
  return found->second;
}

Evidence gather_evidence(JobOwnership ownership, const Objects& pods, const Objects& gone,
                         const Objects& events) {
  for (const Json* pod : pods) ownership.add_pod(*pod);
  for (const Json* pod : gone) ownership.add_pod(*pod);
  Evidence evidence{ownership.kind(),
                    ownership.job(),
                    pods_by_replica(ownership, pods),
                    pods_by_replica(ownership, gone),
                    failed_pods(ownership, pods, gone),
                    {}};
  for (const Json* pod : pods) {
    std::string name = text_at(*pod, "/metadata/name");
    if (!ownership.owns(*pod) && ownership.replica_called(name)) {
      evidence.strangers.emplace(std::move(name), pod);
    }
  }
  for (const Json* event : events) {
    const std::string subject = ownership.subject(*event);
    if (!subject.empty()) evidence.events[subject].push_back(event);
  }
  for (auto& [subject, about] : evidence.events) sort_by_time(about);
  return evidence;
}

}  // namespace trainctl::job
