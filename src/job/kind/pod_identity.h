// Recognises a job's pods, and names them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/kind/replica.h"

namespace trainctl::job {

// Tells the pods of a job from those of its namesakes; pods of an earlier job of the same name may
// still be terminating.
class PodOwner {
 public:
  PodOwner(const Kind& kind, const Json& job);

  const Kind& kind() const { return *kind_; }
  bool owns(const Json& pod) const;
  bool operator==(const PodOwner&) const = default;

 private:
  const Kind* kind_;
  std::string ns_, name_, uid_;
  std::optional<Time> created_;  // long ago = unknown
};

// The name of the job of this kind in the pod's labels, valid as long as the pod; "" when they name
// none.
std::string_view labelled_job(const Kind& kind, const Json& pod);

// Removes the pods that are not the job's.
void keep_owned(std::vector<Json>& pods, const PodOwner& owner);

// Returns the name that the replica's pod has, had or will have, or the part before a random tail.
std::string pod_name(const Kind& kind, std::string_view job_name, const ReplicaId& replica);
// The replica whose pod may be called that; nullopt when no pod of the job is.
std::optional<ReplicaId> replica_called(const Kind& kind, std::string_view job_name,
                                        std::string_view pod_name);

}  // namespace trainctl::job
