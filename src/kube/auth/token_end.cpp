// Reads the claims of JSON web tokens (RFC 7519), which needs no key.
#include "kube/auth/token_end.h"

#include <algorithm>
#include <string>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "base/value/json.h"

namespace trainctl::kube {

namespace {

// Decodes base64 in its URL-safe form without padding, in which claims are written.
std::optional<std::string> base64url_decode(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  while (text.size() % 4 != 0) text += '=';
  return base64_decode(text);
}

}  // namespace

std::optional<Time> token_end(std::string_view token) {
  const std::vector<std::string> parts = split(token, '.');
  if (parts.size() != 3) return std::nullopt;
  const std::optional<std::string> claims = base64url_decode(parts[1]);
  if (!claims) return std::nullopt;
  const Result<Json> parsed = parse_json(*claims, "claims");
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const Json* end = find(*parsed, "/exp");
  if (end == nullptr || !end->is_number()) return std::nullopt;
  const auto seconds = end->get<double>();
  // Time counts nanoseconds in 64 bits and ends in 2262: such a token does not expire.
  constexpr double k_end_of_time = 9'000'000'000;
  if (!(seconds >= 0 && seconds < k_end_of_time)) return std::nullopt;
  return Time(std::chrono::seconds(static_cast<long long>(seconds)));
}

}  // namespace trainctl::kube
