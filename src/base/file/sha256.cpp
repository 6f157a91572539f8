// By OpenSSL.
#include "base/file/sha256.h"

#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/file/checksum.h"
#include "base/file/system_libraries.h"
#include "base/memory.h"
#include "base/text/text.h"

namespace trainctl {
std::string sha256_hex(std::string_view bytes) {
  Checksum sum(Checksum::Method::sha256);
  sum.add(bytes);
  return sum.hex();
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  start_crypto();
  constexpr std::size_t k_bytes = 32;
  std::array<unsigned char, k_bytes> digest{};
  const auto* text = reinterpret_cast<const unsigned char*>(bytes.data());
  need_memory(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), text, bytes.size(),
                   digest.data(), nullptr) != nullptr);
  std::string hex;
  for (const unsigned char byte : digest) hex += hex_digits(byte, 2);
  return hex;
}

}  // namespace trainctl
