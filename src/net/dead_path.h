// The kernel's own way to find that nobody is there any more.
#pragma once

#include "base/time.h"

namespace trainctl::net {

// The connection of the socket fails when nobody has acknowledged its packets for `limit`: by what
// we send, or by probes when all is quiet. Has no effect on a Unix socket, which needs none.
void find_dead_path(int fd, Duration limit);

}  // namespace trainctl::net
