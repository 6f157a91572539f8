// Builds the Impersonate-* headers.
#include "kube/auth/impersonation.h"

#include <string_view>

namespace trainctl::kube {

namespace {

// Keys of extra fields become header names, so characters that a header name cannot hold are
// percent-encoded.
std::string header_key(std::string_view key) {
  constexpr std::string_view k_marks = "!#$&'*+-.^_`|~";
  constexpr std::string_view k_hex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : key) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (plain || k_marks.find(c) != std::string_view::npos) {
      escaped += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    escaped += {'%', k_hex[byte >> 4], k_hex[byte & 15]};
  }
  return escaped;
}

}  // namespace

std::vector<net::Header> impersonation_headers(const AuthInfo& auth) {
  std::vector<net::Header> headers;
  if (auth.as_user.empty()) return headers;
  headers.push_back({"Impersonate-User", auth.as_user});
  if (!auth.as_uid.empty()) headers.push_back({"Impersonate-Uid", auth.as_uid});
  for (const std::string& group : auth.as_groups) headers.push_back({"Impersonate-Group", group});
  for (const auto& [key, value] : auth.as_extra) {
    headers.push_back({"Impersonate-Extra-" + header_key(key), value});
  }
  return headers;
}

}  // namespace trainctl::kube
