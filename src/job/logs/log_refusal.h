// What it means when a log cannot be had: by the words of API server and kubelet, since statuses
// and reasons are the same for much.
#pragma once

#include "kube/api_error.h"

namespace trainctl::job {

bool waits_to_start(const kube::Refusal& refusal);

// For about a second after its start a kubelet does not find the pods that run on it. The API
// server names what a node lacks "pods/log", what it lacks itself "pods".
bool node_lacks_it(const kube::Refusal& refusal);

// A node keeps the log of one ended run of a container, at most.
bool node_deleted_it(const kube::Refusal& refusal);
// The same of the error that was made of the refusal. A container that was never restarted is
// refused so as well.
bool has_no_run_before(const Error& error);

}  // namespace trainctl::job
