// The state of a replica whose program waits for init containers. Pure.
#pragma once

#include <string_view>

#include "base/value/json.h"
#include "job/status/state.h"

namespace trainctl::job {

// Fills the present run, and the last exit, of a replica that waits for an init container, or whose
// init container has failed. False when it waits for none. A failed one is a start failure: the
// kubelet starts it again and again, unless the pod has restartPolicy Never.
bool read_init(const Json& pod, ReplicaState& replica);

// The container that the message of such a failure names; "" for any other message.
std::string_view failed_init_container(std::string_view message);

}  // namespace trainctl::job
