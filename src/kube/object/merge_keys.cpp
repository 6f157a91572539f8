// Copies patchMergeKey and patchStrategy of k8s.io/api/core/v1/types.go, release 1.34.
#include "kube/object/merge_keys.h"

namespace trainctl::kube {

namespace {

constexpr MergeKey k_merge_keys[] = {
    {"containers", "name"},
    {"initContainers", "name"},
    {"ephemeralContainers", "name"},
    {"env", "name"},
    {"volumes", "name", true},
    {"volumeMounts", "mountPath"},
    {"volumeDevices", "devicePath"},
    {"ports", "containerPort"},
    {"ports", "port"},
    {"imagePullSecrets", "name"},
    {"hostAliases", "ip"},
    {"ownerReferences", "uid"},
    {"conditions", "type"},
    {"secrets", "name"},
    {"addresses", "type"},
    {"podIPs", "ip"},
    {"hostIPs", "ip"},
    {"topologySpreadConstraints", "topologyKey"},
    {"schedulingGates", "name"},
    {"resourceClaims", "name", true},
    {"resourceClaimStatuses", "name", true},
    {"allocatedResourcesStatus", "name"},
};

}  // namespace

std::span<const MergeKey> merge_keys() {
  return k_merge_keys;
}

}  // namespace trainctl::kube
