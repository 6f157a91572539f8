// By OpenSSL, which uses the processor's instructions for SHA-256.
#include "base/file/checksum.h"

#include <array>

#include <openssl/evp.h>

#include "base/file/system_libraries.h"
#include "base/memory.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

Context new_context() {
  Context context(EVP_MD_CTX_new());
  need_memory(context != nullptr);
  return context;
}

struct FreeDigest {
  void operator()(EVP_MD* digest) const { EVP_MD_free(digest); }
};

}  // namespace

struct Checksum::State {
  Context context = new_context();
};

Checksum::Checksum(Method method) : state_(std::make_unique<State>()) {
  start_crypto();
  // A machine in FIPS mode has MD5 as well, for uses that protect nothing.
  const char* name = method == Method::md5 ? "MD5" : "SHA256";
  const std::unique_ptr<EVP_MD, FreeDigest> digest(EVP_MD_fetch(nullptr, name, "-fips"));
  need_memory(digest && EVP_DigestInit_ex(state_->context.get(), digest.get(), nullptr) == 1);
}

Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::add(std::string_view bytes) {
  EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

std::string Checksum::hex() const {
  const Context copied = new_context();
  need_memory(EVP_MD_CTX_copy_ex(copied.get(), state_->context.get()) == 1);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  EVP_DigestFinal_ex(copied.get(), bytes.data(), &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += hex_digits(bytes.at(i), 2);
  return text;
}

}  // namespace trainctl
