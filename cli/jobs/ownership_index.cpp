// Two maps by uid, and copies of what one job needs, as long as it is judged.
#include "cli/jobs/ownership_index.h"

#include <algorithm>

namespace trainctl::cli {
namespace {

std::string place_of(const std::string& ns, const std::string& name) {
  return ns + '/' + name;
}

void copy(const std::unordered_map<std::string, std::vector<const Json*>>& by_uid,
          const std::string& uid, std::vector<Json>& copies) {
  const auto found = by_uid.find(uid);
  if (found == by_uid.end()) return;
  for (const Json* object : found->second) copies.push_back(*object);
}

}  // namespace

void OwnershipIndex::add_pod(const Json& pod) {
  for (const Json& owner : array_at(pod, "/metadata/ownerReferences")) {
    std::vector<const Json*>& pods = pods_[text_at(owner, "/uid")];
    // Nothing forbids to name an owner twice.
    if (pods.empty() || pods.back() != &pod) pods.push_back(&pod);
  }
}

void OwnershipIndex::add_event(const Json& event) {
  events_[text_at(event, "/involvedObject/uid")].push_back(&event);
  if (text_at(event, "/involvedObject/kind") != "Pod") return;
  pod_events_[place_of(text_at(event, "/involvedObject/namespace"),
                       text_at(event, "/involvedObject/name"))]
      .push_back(&event);
}

// A pod that is gone is known by its name alone.
void OwnershipIndex::copy_events_of_gone_pods(const FoundJob& job, const std::vector<Json>& pods,
                                              std::vector<Json>& events) const {
  if (pod_events_.empty()) return;
  for (const job::ReplicaId& replica : job::expected_replicas(*job.kind, job.object)) {
    const std::string name = job::pod_name(job.object, replica);
    const bool is_there = std::any_of(pods.begin(), pods.end(), [&name](const Json& pod) {
      return text_at(pod, "/metadata/name") == name;
    });
    if (!is_there) copy(pod_events_, place_of(job.ns(), name), events);
  }
}

job::JobState OwnershipIndex::judge(const FoundJob& job) const {
  std::vector<Json> pods;
  std::vector<Json> events;
  copy(pods_, job.uid(), pods);
  copy(events_, job.uid(), events);
  for (const Json& pod : pods) copy(events_, text_at(pod, "/metadata/uid"), events);
  copy_events_of_gone_pods(job, pods, events);
  return job::judge(*job.kind, job.object, pods, events);
}

}  // namespace trainctl::cli
