// Provides a pod's volumes as directories of this machine, and says where each container mounts
// them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "local/kubelet/container_environment.h"
#include "local/kubelet/mounts.h"

namespace trainctl::local {

struct VolumePlaces {
  std::string pod_volumes;  // a directory for this pod
  // The directory of a claim; "" = there is no such claim.
  std::function<std::string(std::string_view claim)> claim;
};

// Creates or refreshes the directories of every volume. The error is the text of a FailedMount
// event.
Status set_up_volumes(const Json& pod, const ObjectSource& objects, const VolumePlaces& places);

// The mounts of one container, ordered by path; `variables` expand subPathExpr. `why_not` says why
// nothing can be mounted at all ("" = it can).
Result<std::vector<Mount>> container_mounts(const Json& pod, const Json& container,
                                            const VolumePlaces& places, const Variables& variables,
                                            std::string_view why_not);

}  // namespace trainctl::local
