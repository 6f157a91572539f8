// Listening sockets of the embedded API server: the Unix socket of its user, and a loopback port.
#pragma once

#include <string>

#include "base/result.h"
#include "local/descriptor.h"

namespace trainctl::local {

// Replaces a stale socket: only for the holder of the lock. Code::error when somebody answers on
// it.
Result<Descriptor> listen_on_socket(const std::string& path);

struct LoopbackPort {
  Descriptor fd;
  int port = 0;
};
// "127.0.0.1:6443", "localhost:0" or a bare port; 0 = a free one. Code::usage for an address that
// other machines could reach.
Result<LoopbackPort> listen_on_loopback(const std::string& address);

}  // namespace trainctl::local
