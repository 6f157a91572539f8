// Provides a program in place of the kubectl that a launcher of MPI runs.
#pragma once

#include "base/value/json.h"
#include "local/kubelet/kubelet_context.h"

namespace trainctl::local {

// Does the work of the init container that delivers kubectl: writes a program of that name to the
// volume that the container mounts. It starts commands in other replicas, as `kubectl exec` does,
// which is all that a launcher asks of it. False when it cannot be written.
bool deliver_kubectl(const KubeletContext& context, const Json& pod, const Json& container);

}  // namespace trainctl::local
