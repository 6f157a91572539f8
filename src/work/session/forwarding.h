// Carries connections from local ports to ports in a pod.
#pragma once

#include <vector>

#include "base/loop/loop.h"
#include "work/access.h"
#include "work/session/listening.h"
#include "work/session/target.h"

namespace trainctl::work {

// Carries connections while the handle lives and the loop runs; trouble of a connection is a
// warning.
Result<HandlePtr> start_forwarding(Access& access, const Target& target,
                                   std::vector<LocalPort> ports);

// Prints a line for each port on stdout, and carries connections until SIGINT (which is the way to
// end it, and no error) or another ending signal, or until the server refuses the pod. When all
// ports are the replica's own, it has nothing to carry.
Status forward_ports(Access& access, const Target& target, std::vector<LocalPort> ports);

}  // namespace trainctl::work
