// The pods and events that a job is judged by, sorted by its replicas. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/kind/replica.h"
#include "job/status/ownership.h"

namespace trainctl::job {

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

}  // namespace trainctl::job
