// By GnuTLS, which uses the processor's instructions for it.
#include "base/file/sha256.h"

#include <array>

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include "base/file/gnutls_library.h"
#include "base/memory.h"

namespace trainctl {
namespace {

constexpr std::size_t k_bytes = 32;
using Digest = std::array<unsigned char, k_bytes>;

std::string hex_of(const Digest& digest) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  constexpr unsigned k_half = 4;
  constexpr unsigned k_low = 15;
  std::string text;
  for (const unsigned char byte : digest) {
    text += k_digits[byte >> k_half];
    text += k_digits[byte & k_low];
  }
  return text;
}

}  // namespace

struct Sha256::State {
  gnutls_hash_hd_t hash = nullptr;
  State() {
    start_gnutls();
    need_memory(gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) == 0);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { gnutls_hash_deinit(hash, nullptr); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) {
  gnutls_hash(state_->hash, bytes.data(), bytes.size());
}

std::string Sha256::hex() const {
  const gnutls_hash_hd_t copied = gnutls_hash_copy(state_->hash);
  need_memory(copied != nullptr);
  Digest digest{};
  gnutls_hash_output(copied, digest.data());
  gnutls_hash_deinit(copied, nullptr);
  return hex_of(digest);
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  start_gnutls();
  Digest digest{};
  need_memory(gnutls_hmac_fast(GNUTLS_MAC_SHA256, key.data(), key.size(), bytes.data(),
                               bytes.size(), digest.data()) == 0);
  return hex_of(digest);
}

}  // namespace trainctl
