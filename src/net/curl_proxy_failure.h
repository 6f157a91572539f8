// Failures caused by the proxy, not by the server.
#pragma once

#include <optional>

#include "net/curl_failure.h"

namespace trainctl::net {

// The error to report; nullopt when there is no proxy, or the proxy worked.
std::optional<Error> proxy_failure(const CurlSettings& settings, const CurlFailure& failure);

// True when another attempt through the proxy may succeed; nullopt when the proxy has not refused
// anything.
std::optional<bool> is_transient_at_proxy(const CurlFailure& failure);

// The error for a connection that the proxy did not establish: "cannot reach SERVER through the
// proxy URL: reason".
Error proxy_error(const CurlSettings& settings, std::string_view reason);

}  // namespace trainctl::net
