// Opens the listening sockets of the embedded API server: its user's Unix socket, and a loopback
// port.
#pragma once

#include <string>

#include "base/file/descriptor.h"
#include "base/result.h"

namespace trainctl::local {

// Listens on a Unix socket and replaces a stale one; only for the holder of the lock. Code::error
// when somebody answers on it.
Result<Descriptor> listen_on_socket(const std::string& path);

struct LoopbackPort {
  Descriptor fd;
  int port = 0;
};
// Listens on "127.0.0.1:6443", "localhost:0" or a bare port; 0 = a free one. Code::usage for an
// address that other machines could reach.
Result<LoopbackPort> listen_on_loopback(const std::string& address);

}  // namespace trainctl::local
