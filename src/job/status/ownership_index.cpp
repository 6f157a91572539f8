// Ordered maps whose keys are views into the objects that were added.
#include "job/status/ownership_index.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "base/text/text.h"
#include "job/status/taken_name.h"
#include "kube/object/metadata.h"

namespace trainctl::job {

namespace {

template <typename Map, typename Key>
void append(const Map& map, const Key& key, Objects& found) {
  const auto [first, last] = map.equal_range(key);
  for (auto entry = first; entry != last; ++entry) found.push_back(entry->second);
}

// True for kinds of objects that may be a job's pod, or stand between the job and its pods, and are
// named after it.
bool may_be_of_a_job(std::string_view kind) {
  const auto has_helper = [kind](const Kind& each) {
    return std::ranges::any_of(each.controller.helpers,
                               [kind](const Helper& helper) { return helper.kind == kind; });
  };
  return kind == "Pod" || std::any_of(kinds().begin(), kinds().end(), has_helper);
}

}  // namespace

void OwnershipIndex::add_pod(const Json& pod) {
  pods_.emplace(view_at(pod, "/metadata/uid"), &pod);
  pods_by_name_.emplace(Place{view_at(pod, "/metadata/namespace"), view_at(pod, "/metadata/name")},
                        &pod);
  for (const Json& owner : array_at(pod, "/metadata/ownerReferences")) {
    const std::string_view uid = view_at(owner, "/uid");
    const auto [first, last] = pods_by_owner_.equal_range(uid);
    // Nothing forbids to name an owner twice.
    const bool is_named = first != last && std::prev(last)->second == &pod;
    if (!is_named) pods_by_owner_.emplace_hint(last, uid, &pod);
  }
  for (const Kind& kind : kinds()) {
    const std::string_view job = kind.controller.owns_by_label() ? labelled_job(kind, pod) : "";
    if (job.empty()) continue;
    pods_by_label_.emplace(Place{view_at(pod, "/metadata/namespace"), job}, &pod);
    break;
  }
}

void OwnershipIndex::add_event(const Json& event) {
  events_.emplace(view_at(event, "/involvedObject/uid"), &event);
  if (!may_be_of_a_job(view_at(event, "/involvedObject/kind"))) return;
  const Place place{view_at(event, "/involvedObject/namespace"),
                    view_at(event, "/involvedObject/name")};
  named_events_.emplace(place, &event);
}

Evidence OwnershipIndex::evidence(const Kind& kind, const Json& job) const {
  JobOwnership ownership(kind, job);
  Objects pods, events;
  if (kind.controller.owns_by_label()) {
    append(pods_by_label_, Place{ownership.ns(), ownership.name()}, pods);
    std::erase_if(pods, [&ownership](const Json* pod) { return !ownership.owns(*pod); });
  } else {
    append(pods_by_owner_, ownership.uid(), pods);
  }
  append(events_, ownership.uid(), events);
  for (const Json* pod : pods) {
    ownership.add_pod(*pod);
    append(events_, view_at(*pod, "/metadata/uid"), events);
  }
  add_events_by_name(ownership, events);
  add_strangers(ownership, events, pods);
  return gather_evidence(std::move(ownership), pods, {}, events);
}

// Adds the pods of others whose names keep this job's pods from being created.
void OwnershipIndex::add_strangers(const JobOwnership& ownership, const Objects& events,
                                   Objects& pods) const {
  for (const Json* event : events) {
    const std::string name = taken_pod_name(view_at(*event, "/message"));
    const auto found =
        name.empty() ? pods_by_name_.end() : pods_by_name_.find(Place{ownership.ns(), name});
    if (found != pods_by_name_.end() && !ownership.owns(*found->second)) {
      pods.push_back(found->second);
    }
  }
}

// Adds events of pods that are gone: a replica's pod may have been created again, even under its
// name. The job's ownership then says which of these events are the job's.
void OwnershipIndex::add_events_by_name(JobOwnership& ownership, Objects& events) const {
  if (named_events_.empty()) return;
  Objects named;
  append(named_events_, Place{ownership.ns(), ownership.name()}, named);
  const std::string stem = cat(ownership.name(), '-');
  for (auto entry = named_events_.lower_bound(Place{ownership.ns(), stem});
       entry != named_events_.end() && entry->first.ns == ownership.ns() &&
       entry->first.name.starts_with(stem);
       ++entry) {
    named.push_back(entry->second);
  }
  const std::set<const Json*> found(events.begin(), events.end());
  for (const Json* event : named) {
    if (found.contains(event)) continue;
    const std::string uid = text_at(*event, "/involvedObject/uid");
    if (ownership.has_uid(uid)) continue;  // found by its uid
    if (const auto pod = pods_.find(uid); pod != pods_.end()) ownership.add_pod(*pod->second);
    events.push_back(event);
  }
}

}  // namespace trainctl::job
