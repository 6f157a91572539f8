// Chooses one pod for each replica, and puts the events of each in order.
#include "job/status/evidence.h"

#include <utility>

#include "job/status/events.h"

namespace trainctl::job {

namespace {

// Of the pods that claim to be the same replica, the one that lives, else the newest.
PodsByReplica pods_by_replica(const JobOwnership& ownership, const Objects& pods) {
  PodsByReplica best;
  const auto weight = [](const Json& pod) {
    const bool deleting = find(pod, "/metadata/deletionTimestamp") != nullptr;
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
                    {}};
  for (const Json* pod : pods) {
    std::string name = text_at(*pod, "/metadata/name");
    if (!ownership.owns(*pod) && ownership.pod_names().contains(name)) {
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
