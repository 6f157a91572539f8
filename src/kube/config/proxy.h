// Chooses the proxy of a connection by Go's rules, so that the HTTP library never decides.
#pragma once

#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "net/url.h"

namespace trainctl::kube {

// `configured` (a kubeconfig's proxy-url) always wins; else HTTPS_PROXY or HTTP_PROXY (and their
// lower-case forms) unless NO_PROXY exempts the server or it is on the loopback. "" = direct.
// NO_PROXY: hosts, .suffixes, addresses, CIDR blocks, each with an optional port, or "*".
// Code::usage for schemes other than http, https and socks5.
Result<std::string> resolve_proxy(const Environment& env, const std::string& configured,
                                  const net::UrlParts& server);

}  // namespace trainctl::kube
