// SHA-256 of a complete buffer.
#pragma once

#include <string>
#include <string_view>

namespace trainctl {

// The hash as sha256sum prints it.
std::string sha256_hex(std::string_view bytes);

// HMAC-SHA256 (RFC 2104) of a complete buffer.
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

}  // namespace trainctl
