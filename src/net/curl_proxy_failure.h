// Failures that are the proxy's and not the server's.
#pragma once

#include <optional>

#include "net/curl_failure.h"

namespace trainctl::net {

// What to tell; nullopt when there is no proxy, or it did its part.
std::optional<Error> proxy_failure(const CurlSettings& settings, const CurlFailure& failure);

// Whether another attempt may fare better with it; nullopt when the proxy has not refused anything.
std::optional<bool> is_transient_at_proxy(const CurlFailure& failure);

// Before the way to the server stood: "cannot reach SERVER through the proxy URL: reason".
Error proxy_error(const CurlSettings& settings, std::string_view reason);

}  // namespace trainctl::net
