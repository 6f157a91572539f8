// Decides which pods and events are a job's, for all code that joins them. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/text/time.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/kind/pod_identity.h"
#include "job/kind/replica.h"

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

}  // namespace trainctl::job
