// Reads PersistentVolumeClaims and the pods that mount them. Pure.
#pragma once

#include <string_view>

#include "base/value/json.h"
#include "kube/client/resource.h"

namespace trainctl::job {

inline constexpr kube::Resource k_claims{"", "v1", "persistentvolumeclaims",
                                         "PersistentVolumeClaim"};

constexpr bool is_claim(const kube::Resource& resource) {
  return resource.group.empty() && resource.plural == k_claims.plural;
}

// True when a volume of the pod is the claim of that name.
bool mounts_claim(const Json& pod, std::string_view claim);

// True when several nodes may mount the claim at a time.
bool is_for_many_nodes(const Json& claim);
// True when one pod at a time may mount it (ReadWriteOncePod), whatever other modes it has.
bool is_for_one_pod(const Json& claim);

}  // namespace trainctl::job
