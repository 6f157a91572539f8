// Lets the kernel detect that the peer is gone.
#pragma once

#include "base/text/time.h"

namespace trainctl::net {

// Makes the socket's connection fail when its packets (ours, or probes while it is idle) have not
// been acknowledged for `limit`. Has no effect on a Unix socket, which does not need it.
void find_dead_path(int fd, Duration limit);

}  // namespace trainctl::net
