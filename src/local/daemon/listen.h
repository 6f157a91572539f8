// Opens the Unix socket of the embedded API server.
#pragma once

#include <string>

#include "base/file/descriptor.h"
#include "base/result.h"

namespace trainctl::local {

// Listens on a Unix socket and replaces a stale one; only for the holder of the lock. Code::error
// when somebody answers on it.
Result<Descriptor> listen_on_socket(const std::string& path);

}  // namespace trainctl::local
