// SHA-256 of bytes that come piece by piece.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace trainctl {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  // The hash of all bytes so far, as sha256sum prints it.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Hashes a complete buffer.
std::string sha256_hex(std::string_view bytes);

// HMAC-SHA256 (RFC 2104) of a complete buffer.
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

}  // namespace trainctl
