// Reads proxy variables and NO_PROXY as golang.org/x/net/http/httpproxy does.
#include "kube/config/proxy.h"

#include <cstring>
#include <optional>

#include <arpa/inet.h>

#include "base/text/text.h"

namespace trainctl::kube {

namespace {

struct Address {
  unsigned char bytes[16] = {};
  int length = 0;  // 4 or 16
};

std::optional<Address> parse_address(const std::string& text) {
  Address address;
  if (inet_pton(AF_INET, text.c_str(), address.bytes) == 1) {
    address.length = 4;
    return address;
  }
  if (inet_pton(AF_INET6, text.c_str(), address.bytes) == 1) {
    address.length = 16;
    return address;
  }
  return std::nullopt;
}

bool in_block(const Address& address, std::string_view block) {
  const Halves halves = split_once(block, '/');
  const auto base = parse_address(halves.first);
  const int bits = parse_number<int>(halves.second).value_or(-1);
  if (!base || base->length != address.length) return false;
  if (bits < 0 || bits > address.length * 8) return false;
  const int whole = bits / 8;
  if (std::memcmp(address.bytes, base->bytes, static_cast<std::size_t>(whole)) != 0) return false;
  if (bits % 8 == 0) return true;
  const unsigned mask = 0xffU << (8 - bits % 8);
  return ((address.bytes[whole] ^ base->bytes[whole]) & mask) == 0;
}

bool name_matches(std::string_view entry, std::string_view host) {
  if (entry.substr(0, 2) == "*.") entry.remove_prefix(1);
  if (entry.front() == '.') return host.size() > entry.size() && host.ends_with(entry);
  return host == entry || host.ends_with(cat(".", entry));
}

// Removes a ":443" from the entry; false when it names another port. "::1" has no port.
bool takes_port(std::string& entry, int port) {
  const bool bracketed = entry.front() == '[';
  const std::size_t close = bracketed ? entry.find(']') : 0;
  const std::size_t colon = entry.rfind(':');
  const bool bare_v6 = !bracketed && colon != entry.find(':');
  bool right_port = true;
  if (colon != std::string::npos && !bare_v6 && (!bracketed || colon > close)) {
    right_port = entry.substr(colon + 1) == std::to_string(port);
    entry.resize(colon);
  }
  if (bracketed && entry.size() > 2) entry = entry.substr(1, entry.find(']') - 1);
  return right_port;
}

bool entry_matches(std::string entry, const std::string& host, int port) {
  if (entry == "*") return true;
  const auto address = parse_address(host);
  if (entry.find('/') != std::string::npos) return address && in_block(*address, entry);
  if (!takes_port(entry, port) || entry.empty()) return false;
  if (const auto own = parse_address(entry)) {
    return address && own->length == address->length &&
           std::memcmp(own->bytes, address->bytes, static_cast<std::size_t>(own->length)) == 0;
  }
  return !address && name_matches(entry, host);
}

std::string either(const Environment& env, std::string_view name) {
  const std::string upper = env.text(name);
  return upper.empty() ? env.text(lower(name)) : upper;
}

Result<std::string> checked_proxy(const std::string& url, std::string_view source) {
  const Error useless{Code::usage, cat(source, " is not a usable proxy URL"),
                      "write it as http://, https:// or socks5://HOST:PORT"};
  Result<net::UrlParts> parts = net::parse_url(url);
  if (!parts || parts->host.empty()) return useless;
  if (parts->scheme == "socks5h") return "socks5" + url.substr(parts->scheme.size());
  if (parts->scheme == "http" || parts->scheme == "https" || parts->scheme == "socks5") return url;
  return Error{Code::usage, cat(source, " has the unsupported scheme \"", parts->scheme, "\""),
               useless.hint};
}

bool is_loopback(const std::string& host) {
  if (lower(host) == "localhost") return true;
  // The system's resolver takes 127.1 and 2130706433 for 127.0.0.1, and 0.0.0.0 leads there, too.
  in_addr number = {};
  if (inet_aton(host.c_str(), &number) == 1) {
    const std::uint32_t address = ntohl(number.s_addr);
    return address >> 24 == 127 || address == 0;
  }
  const auto address = parse_address(host);
  return address && (in_block(*address, "::1/128") || in_block(*address, "::/128") ||
                     in_block(*address, "::ffff:127.0.0.0/104"));
}

bool no_proxy_matches(std::string_view list, std::string_view host, int port) {
  const std::string wanted = lower(host);
  for (const std::string& item : split(list, ',')) {
    const std::string entry = lower(trim(item));
    if (!entry.empty() && entry_matches(entry, wanted, port)) return true;
  }
  return false;
}

}  // namespace

Result<std::string> resolve_proxy(const Environment& env, const std::string& configured,
                                  const net::UrlParts& server) {
  if (!configured.empty()) return checked_proxy(configured, "proxy-url of the cluster");
  const std::string variable = server.scheme == "https" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const std::string proxy = either(env, variable);
  if (proxy.empty() || is_loopback(server.host)) return std::string();
  if (no_proxy_matches(either(env, "NO_PROXY"), server.host, server.port)) return std::string();
  const bool has_scheme = proxy.find("://") != std::string::npos;
  return checked_proxy(has_scheme ? proxy : "http://" + proxy, variable);
}

}  // namespace trainctl::kube
