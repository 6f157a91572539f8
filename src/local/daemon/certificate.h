// The certificate and the token of the embedded cluster's loopback port, kept between runs so that
// a kubeconfig printed once stays valid.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/text/time.h"

namespace trainctl::local {

struct Certificate {
  std::string certificate_pem;
  std::string key_pem;
};

// A self-signed certificate for localhost and 127.0.0.1 (EC P-256, valid a year), stored in `path`
// (mode 0600). It is replaced when it cannot be read or has less than a month left.
Result<Certificate> certificate_at(const std::string& path, Time now);

// When a PEM certificate expires; nullopt when the text is none.
std::optional<Time> expiry_of(const std::string& certificate_pem);

// 256 random bits in hexadecimal digits, stored in `path` (mode 0600).
Result<std::string> token_at(const std::string& path);

}  // namespace trainctl::local
