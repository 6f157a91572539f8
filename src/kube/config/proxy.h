// Chooses the proxy of a connection by Go's rules, so that the HTTP library never decides.
#pragma once

#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/result.h"
#include "net/url.h"

namespace trainctl::kube {

// `configured` (a kubeconfig's proxy-url) always wins; else HTTPS_PROXY or HTTP_PROXY (and their
// lower-case forms) unless NO_PROXY exempts the server or it is on the loopback. "" = direct.
// Code::usage for schemes other than http, https and socks5.
Result<std::string> resolve_proxy(const Environment& env, const std::string& configured,
                                  const net::UrlParts& server);

// True for "localhost" and addresses of the loopback.
bool is_loopback(const std::string& host);

// NO_PROXY: hosts, .suffixes, addresses, CIDR blocks, each with an optional port, or "*".
bool no_proxy_matches(std::string_view list, std::string_view host, int port);

}  // namespace trainctl::kube
