// Compares uids first, and names where a uid says nothing.
#include "job/status/ownership.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/sources.h"
#include "job/status/events.h"

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

}  // namespace trainctl::job
