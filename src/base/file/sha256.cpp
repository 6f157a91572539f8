// By OpenSSL, which uses the processor's instructions for it.
#include "base/file/sha256.h"

#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/file/system_libraries.h"
#include "base/memory.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

constexpr std::size_t k_bytes = 32;
using Digest = std::array<unsigned char, k_bytes>;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

Context new_context() {
  start_crypto();
  Context context(EVP_MD_CTX_new());
  need_memory(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  return context;
}

std::string hex_of(const Digest& digest) {
  std::string text;
  for (const unsigned char byte : digest) text += hex_digits(byte, 2);
  return text;
}

}  // namespace

struct Sha256::State {
  Context context = new_context();
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) {
  EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

std::string Sha256::hex() const {
  const Context copied = new_context();
  need_memory(EVP_MD_CTX_copy_ex(copied.get(), state_->context.get()) == 1);
  Digest digest{};
  EVP_DigestFinal_ex(copied.get(), digest.data(), nullptr);
  return hex_of(digest);
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  start_crypto();
  Digest digest{};
  const auto* text = reinterpret_cast<const unsigned char*>(bytes.data());
  need_memory(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), text, bytes.size(),
                   digest.data(), nullptr) != nullptr);
  return hex_of(digest);
}

}  // namespace trainctl
