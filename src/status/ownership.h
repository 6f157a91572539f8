// Decides which pods and events are a job's, for all code that joins them. Pure.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/replica.h"

namespace trainctl::job {

inline constexpr std::string_view k_job_subject = "job";

// A pod is the job's when the job owns it. An event is the job's when it is about the job itself,
// about one of its pods, or about something that is known by its name alone: a pod that is gone
// (its events outlive it), a service of a replica, an object between job and pods, a claim that the
// job mounts.
class JobOwnership {
 public:
  // `job` must outlive this.
  JobOwnership(const Kind& kind, const Json& job);

  // Adds a pod that is there or is gone. It may be a namesake's: then its events are known not to
  // be the job's.
  void add_pod(const Json& pod);

  const Kind& kind() const { return kind_; }
  const Json& job() const { return job_; }
  const std::string& ns() const { return namespace_; }
  const std::string& name() const { return name_; }
  const std::string& uid() const { return uid_; }
  bool owns(const Json& pod) const { return owner_.owns(pod); }
  // True for the uids of the job and of its pods that were added.
  bool has_uid(const std::string& uid) const;
  // The replica whose pod has or had that name; nullopt when no pod of the job has.
  std::optional<ReplicaId> replica_called(std::string_view pod_name) const;

  // Returns the event's subject: "job", "worker-1", "service/ddp-worker-1", "claim/data"; "" when
  // the event is not the job's.
  std::string subject(const Json& event) const;

 private:
  std::string subject_by_name(const Json& event) const;
  bool is_helper(const std::string& kind, const std::string& name) const;
  bool mounts_claim(const std::string& name) const;

  const Kind& kind_;
  const Json& job_;
  PodOwner owner_;
  std::string namespace_, name_, uid_;
  std::optional<Time> created_;
  std::map<std::string, std::string> own_pods_;  // replicas by the pod's uid
  std::set<std::string> foreign_pods_;           // uids
};

// Objects that their owner keeps for as long as the judgement takes.
using Objects = std::vector<const Json*>;
Objects pointers_to(std::span<const Json> objects);

// One pod for each replica.
using PodsByReplica = std::map<ReplicaId, const Json*>;

struct Evidence {
  const Kind& kind;
  const Json& job;
  PodsByReplica pods;
  PodsByReplica gone;                     // pods that are there no more, in their last states
  std::map<ReplicaId, Objects> failed;    // pods that have failed, gone or not, oldest first
  std::map<std::string, Objects> events;  // by subject (JobOwnership), in the order of time
  // Pods of other owners that have the names of this job's pods, by name.
  std::map<std::string, const Json*> strangers = {};

  std::span<const Json* const> events_about(const std::string& subject) const;
};

// Leaves out the pods and events of other jobs, except pods that have the names of this job's pods.
Evidence gather_evidence(JobOwnership ownership, const Objects& pods, const Objects& gone,
                         const Objects& events);

// The pod that has the name, as a failed creation says: pods "ddp-worker-0" already exists; "" when
// the message says something else.
std::string taken_pod_name(std::string_view message);

struct TakenName {
  std::string message;  // "pod ddp-worker-0 already exists: it belongs to tfjob ddp"
  std::string hint;     // what to do about it
  bool passes = false;  // the pod is about to go, and the name will be free
};

// Describes another owner's pod under a name that `job` needs.
TakenName describe_taken_name(const Kind& kind, const Json& job, const Json& pod);

// Finds the pods and events of one job among those of thousands. Pure. JobOwnership decides what is
// a job's. The index only narrows down the candidates, since asking about every object for every
// job would take quadratic time. Objects that are added must stay unchanged and in place.
class OwnershipIndex {
 public:
  void add_pod(const Json& pod);
  void add_event(const Json& event);

  Evidence evidence(const Kind& kind, const Json& job) const;

 private:
  struct NamespacedName {
    std::string_view ns, name;
    auto operator<=>(const NamespacedName&) const = default;
  };
  void add_events_by_name(JobOwnership& ownership, Objects& events) const;
  void add_strangers(const JobOwnership& ownership, const Objects& events, Objects& pods) const;

  // Objects with the same key stay in the order in which they were added.
  std::map<std::string_view, const Json*> pods_;                // by uid
  std::multimap<std::string_view, const Json*> pods_by_owner_;  // by an owner's uid
  std::multimap<NamespacedName, const Json*> pods_by_label_;    // by the job that a label names
  std::multimap<std::string_view, const Json*> events_;         // by the uid of what they are about
  std::multimap<NamespacedName, const Json*>
      named_events_;  // those about pods, and what is above them
  std::map<NamespacedName, const Json*> pods_by_name_;
};

}  // namespace trainctl::job
