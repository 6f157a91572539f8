// Compares uids first, and names where a uid says nothing.
#include "status/ownership.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/needed_objects.h"
#include "status/events.h"
#include "status/pod_state.h"

namespace trainctl::job {

JobOwnership::JobOwnership(const Kind& kind, const Json& job)
    : kind_(kind),
      job_(job),
      owner_(kind, job),
      namespace_(text_at(job, "/metadata/namespace")),
      name_(text_at(job, "/metadata/name")),
      uid_(text_at(job, "/metadata/uid")),
      created_(parse_time(text_at(job, "/metadata/creationTimestamp"))) {}

void JobOwnership::add_pod(const Json& pod) {
  std::string uid = text_at(pod, "/metadata/uid");
  if (!owns(pod)) {
    foreign_pods_.insert(std::move(uid));
  } else if (const auto replica = replica_of(kind_, pod)) {
    own_pods_.emplace(std::move(uid), replica->name());
  }
}

bool JobOwnership::has_uid(const std::string& uid) const {
  return uid == uid_ || own_pods_.contains(uid);
}

std::optional<ReplicaId> JobOwnership::replica_called(std::string_view pod_name) const {
  const auto replica = job::replica_called(kind_, name_, pod_name);
  if (!replica) return std::nullopt;
  const bool may_be = !has_known_count(kind_, job_, *replica->role) ||
                      replica->index < replica_count(kind_, job_, *replica->role);
  return may_be ? replica : std::nullopt;
}

std::string JobOwnership::subject(const Json& event) const {
  const std::string uid = text_at(event, "/involvedObject/uid");
  if (!uid.empty() && uid == uid_) return std::string(k_job_subject);
  if (const auto own = own_pods_.find(uid); own != own_pods_.end()) return own->second;
  // Events older than the job belong to a namesake.
  if (foreign_pods_.contains(uid) || event_time(event) < created_) return "";
  return subject_by_name(event);
}

std::string JobOwnership::subject_by_name(const Json& event) const {
  const std::string ns = text_at(event, "/involvedObject/namespace");
  if (!ns.empty() && ns != namespace_) return "";
  const std::string kind = text_at(event, "/involvedObject/kind");
  const std::string name = text_at(event, "/involvedObject/name");
  if (kind == "PersistentVolumeClaim") return mounts_claim(name) ? "claim/" + name : "";
  if (is_helper(kind, name)) return std::string(k_job_subject);
  const auto replica = replica_called(name);
  if (!replica) return "";
  if (kind == "Pod") return replica->name();
  return kind == "Service" ? "service/" + name : "";
}

bool JobOwnership::is_helper(const std::string& kind, const std::string& name) const {
  const auto is_called = [&](const Helper& helper) {
    if (!helper.per_role) return name == name_;
    return std::ranges::any_of(kind_.roles, [&](const Role& role) {
      return name == cat(name_, '-', role.prefix, helper.after_role);
    });
  };
  return std::ranges::any_of(kind_.controller.helpers, [&](const Helper& helper) {
    return helper.kind == kind && is_called(helper);
  });
}

// Events about claims are rare, so the job's claims are looked up for each of them.
bool JobOwnership::mounts_claim(const std::string& name) const {
  const std::vector<Source> sources = sources_of(kind_, job_);
  return std::ranges::any_of(sources, [&name](const Source& source) {
    return source.kind == "claim" && source.name == name;
  });
}

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

namespace {

// "tfjob ddp", "replicaset web", "nobody".
std::string owner_title(const Json& owner) {
  const std::string kind = lower(text_at(owner, "/kind"));
  const std::string name = text_at(owner, "/name");
  if (kind.empty() && name.empty()) return "nobody";
  return printable_line(cat(kind, kind.empty() ? "" : " ", name));
}

// A name as a shell takes it: a hint is typed as it stands.
std::string typed_name(const Json& object, std::string_view place) {
  return shell_quoted(printable_line(text_at(object, place)));
}

std::string remedy(const Json& pod, const Json& owner) {
  constexpr std::string_view k_rename = ", or submit this job under another name: --name";
  if (const Kind* kind = kind_of(owner)) {
    return cat("trainctl delete ", kind->alias, "/", typed_name(owner, "/name"), k_rename);
  }
  if (!owner.is_null()) return "submit this job under another name: --name";
  return cat("kubectl delete pod ", typed_name(pod, "/metadata/name"), k_rename);
}

}  // namespace

std::string taken_pod_name(std::string_view message) {
  constexpr std::string_view k_before = "pods \"", k_after = "\" already exists";
  const auto begin = message.find(k_before);
  if (begin == std::string_view::npos || !message.ends_with(k_after)) return "";
  message.remove_prefix(begin + k_before.size());
  message.remove_suffix(k_after.size());
  return std::string(message);
}

TakenName describe_taken_name(const Kind& kind, const Json& job, const Json& pod) {
  const Json& owners = array_at(pod, "/metadata/ownerReferences");
  const Json owner = owners.empty() ? Json() : owners.front();
  const bool of_former =
      kind_of(owner) == &kind && text_at(owner, "/name") == text_at(job, "/metadata/name");
  const bool passes = of_former || kube::is_being_deleted(pod);
  TakenName taken;
  taken.passes = passes;
  taken.message = printable_line(
      cat("pod ", text_at(pod, "/metadata/name"), passes ? " is still there" : " already exists",
          ": it belongs to ", of_former ? "an earlier " : "", owner_title(owner)));
  taken.hint = of_former ? "pods of an earlier job of this name are still terminating"
               : passes  ? "the pod is being deleted; its name is free once the pod is gone"
                         : remedy(pod, owner);
  return taken;
}

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
  pods_by_name_.emplace(
      NamespacedName{view_at(pod, "/metadata/namespace"), view_at(pod, "/metadata/name")}, &pod);
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
    pods_by_label_.emplace(NamespacedName{view_at(pod, "/metadata/namespace"), job}, &pod);
    break;
  }
}

void OwnershipIndex::add_event(const Json& event) {
  events_.emplace(view_at(event, "/involvedObject/uid"), &event);
  if (!may_be_of_a_job(view_at(event, "/involvedObject/kind"))) return;
  const NamespacedName place{view_at(event, "/involvedObject/namespace"),
                             view_at(event, "/involvedObject/name")};
  named_events_.emplace(place, &event);
}

Evidence OwnershipIndex::evidence(const Kind& kind, const Json& job) const {
  JobOwnership ownership(kind, job);
  Objects pods, events;
  if (kind.controller.owns_by_label()) {
    append(pods_by_label_, NamespacedName{ownership.ns(), ownership.name()}, pods);
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
    const auto found = name.empty() ? pods_by_name_.end()
                                    : pods_by_name_.find(NamespacedName{ownership.ns(), name});
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
  append(named_events_, NamespacedName{ownership.ns(), ownership.name()}, named);
  const std::string stem = cat(ownership.name(), '-');
  for (auto entry = named_events_.lower_bound(NamespacedName{ownership.ns(), stem});
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
