// Interprets refusals of log requests by the messages of API server and kubelet, since many share
// the same status and reason.
#pragma once

#include "kube/client/api_error.h"

namespace trainctl::job {

bool waits_to_start(const kube::Refusal& refusal);

// True when the node does not know the pod: for about a second after its start, a kubelet does not
// find the pods that run on it. The API server's message names "pods/log" when the node lacks the
// object, and "pods" when the API server itself does.
bool node_lacks_it(const kube::Refusal& refusal);

// True when the node has deleted the log: it keeps the log of at most one ended run of a container.
bool node_deleted_it(const kube::Refusal& refusal);
// True when the error, made from such a refusal, says that there is no previous run. A container
// that was never restarted is refused in the same way.
bool has_no_run_before(const Error& error);

}  // namespace trainctl::job
