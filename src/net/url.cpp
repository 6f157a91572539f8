// Implements percent-encoding and the splitting of URLs.
#include "net/url.h"

#include <charconv>
#include <optional>

#include "base/text/text.h"

namespace trainctl::net {
namespace {

constexpr int k_highest_port = 65535;

bool is_unreserved(char c) {
  return is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

std::optional<unsigned> hex_value(std::string_view digits) {
  unsigned value = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool is_scheme(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  for (const char c : text) {
    if (!is_letter_or_digit(c) && c != '+' && c != '-' && c != '.') return false;
  }
  return true;
}

// Control characters and spaces would end up in the request line; the other characters begin parts
// that an API server's URL does not have.
bool has_foreign_character(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '?' || c == '#' || c == '\\') {
      return true;
    }
  }
  return false;
}

int default_port(std::string_view scheme) {
  if (scheme == "http") return 80;
  if (scheme == "https") return 443;
  if (scheme == "socks5" || scheme == "socks5h") return 1080;
  return 0;
}

// Splits "host", "host:port", "[v6]" or "[v6]:port"; false when the text is none of these.
bool split_authority(std::string_view authority, UrlParts& parts) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return false;
    parts.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
  } else {
    const std::size_t colon = authority.find(':');
    parts.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon);
  }
  if (parts.host.empty()) return false;
  if (port.empty()) return true;
  parts.port = parse_number<decltype(parts.port)>(port.substr(1)).value_or(0);
  return port.front() == ':' && parts.port > 0 && parts.port <= k_highest_port;
}

std::string without_user_info(std::string_view url) {
  const std::size_t at = url.rfind('@');
  return printable_line(at == std::string_view::npos ? url : url.substr(at + 1));
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    encoded += is_unreserved(c) ? std::string(1, c) : percent_escaped(c);
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size();
    const auto value = escape ? hex_value(text.substr(i + 1, 2)) : std::nullopt;
    decoded += value ? static_cast<char>(*value) : text[i];
    if (value) i += 2;
  }
  return decoded;
}

std::string with_query(std::string path, const Query& query) {
  char separator = '?';
  for (const auto& [name, value] : query) {
    path += separator;
    path += percent_encoded(name) + '=' + percent_encoded(value);
    separator = '&';
  }
  return path;
}

Result<UrlParts> parse_url(std::string_view url) {
  const Error refused{Code::usage, cat("'", without_user_info(url), "' is not an absolute URL"),
                      "write it like https://host:6443"};
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos || !is_scheme(url.substr(0, colon))) return refused;
  if (has_foreign_character(url)) return refused;

  UrlParts parts;
  parts.scheme = lower(url.substr(0, colon));
  parts.port = default_port(parts.scheme);
  const std::string_view rest = url.substr(colon + 3);
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) parts.path = rest.substr(slash);
  while (parts.path.ends_with('/')) parts.path.pop_back();

  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    parts.user_info = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  if (!split_authority(authority, parts)) return refused;
  return parts;
}

std::string host_port(const UrlParts& url) {
  const bool is_v6 = url.host.find(':') != std::string::npos;
  return is_v6 ? cat('[', url.host, "]:", url.port) : cat(url.host, ':', url.port);
}

}  // namespace trainctl::net
