// A program that a client runs in a running container, and its streams.
#pragma once

#include <memory>
#include <string>

#include "base/loop/loop.h"
#include "local/pod_streams.h"

namespace trainctl::local {

// `directory` is that of the running attempt. When the client goes away, the program's stdin ends
// and nobody reads its output any more; on a terminal it is hung up. It continues if it can.
std::unique_ptr<ApiSession> exec_session(UvLoop& loop, std::string directory,
                                         StreamQuestion question);

}  // namespace trainctl::local
