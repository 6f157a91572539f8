// Everything that may say how a job stands, without what belongs to other jobs. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "job/kind/kind.h"
#include "job/kind/replica.h"
#include "job/status/ownership.h"

namespace trainctl::job {

// Of thousands of objects none is copied: whoever holds them outlives the judgement.
using Objects = std::vector<const Json*>;
Objects pointers_to(std::span<const Json> objects);

// One pod for each replica.
using PodsByReplica = std::map<ReplicaId, const Json*>;

struct Evidence {
  const Kind& kind;
  const Json& job;
  PodsByReplica pods;
  PodsByReplica gone;                     // pods that are there no more, in their last states
  std::map<std::string, Objects> events;  // by subject (JobOwnership), in the order of time

  std::span<const Json* const> events_about(const std::string& subject) const;
};

// Pods and events of other jobs may be among what is given.
Evidence gather_evidence(JobOwnership ownership, const Objects& pods, const Objects& gone,
                         const Objects& events);

}  // namespace trainctl::job
