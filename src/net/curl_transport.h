// The production Transport: libcurl's multi interface in socket mode on the event loop.
#pragma once

#include <memory>

#include "base/loop/loop.h"
#include "net/http.h"

namespace trainctl::net {

// Uses HTTP/2 where TLS negotiates it, else HTTP/1.1. Streams are spread over connections of at
// most 99 streams and a heartbeat; the control lane has a connection of its own. Code::usage when
// the endpoint cannot be used at all (bad proxy scheme, CA that is not PEM).
Result<std::unique_ptr<Transport>> make_curl_transport(UvLoop& loop, Endpoint endpoint);

}  // namespace trainctl::net
