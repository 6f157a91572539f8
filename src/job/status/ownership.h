// The rule which pods and events are a job's, for everything that joins them. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "job/kind/kind.h"
#include "job/kind/replica.h"

namespace trainctl::job {

inline constexpr std::string_view k_job_subject = "job";

// A pod is the job's when the job owns it. An event is the job's when it is about the job itself,
// about one of its pods, or about something that is known by its name alone: a pod that is gone
// (its events outlive it), a service of a replica, a claim that the job mounts.
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
  const std::string& uid() const { return uid_; }
  bool owns(const Json& pod) const { return owned_by(pod, uid_); }
  // True for the uids of the job and of its pods that were added.
  bool has_uid(const std::string& uid) const;
  // The names that its pods have or had, with the names of their replicas.
  const std::map<std::string, std::string>& pod_names() const { return replicas_; }

  // What the event is about: "job", "worker-1", "service/ddp-worker-1", "claim/data"; "" when it is
  // not the job's.
  std::string subject(const Json& event) const;

 private:
  std::string subject_by_name(const Json& event) const;
  bool mounts_claim(const std::string& name) const;

  const Kind& kind_;
  const Json& job_;
  std::string namespace_, uid_;
  std::optional<Time> created_;
  std::map<std::string, std::string> replicas_;  // by the name of the pod
  std::map<std::string, std::string> own_pods_;  // replicas by the pod's uid
  std::set<std::string> foreign_pods_;           // uids
};

}  // namespace trainctl::job
