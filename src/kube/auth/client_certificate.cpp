// Reads certificates and keys with OpenSSL.
#include "kube/auth/client_certificate.h"

#include <ctime>
#include <memory>
#include <utility>

#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/file/system_libraries.h"

namespace trainctl::kube {
namespace {

struct FreeOpenssl {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* text) const { BIO_free(text); }
};
template <typename Object>
using Owned = std::unique_ptr<Object, FreeOpenssl>;

Owned<BIO> reader_of(std::string_view pem) {
  start_crypto();
  return Owned<BIO>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// The default would ask the terminal for a password.
int no_password(char*, int, int, void*) {
  return -1;
}

Owned<X509> import(std::string_view pem) {
  return Owned<X509>(PEM_read_bio_X509(reader_of(pem).get(), nullptr, no_password, nullptr));
}

Owned<EVP_PKEY> import_key(std::string_view pem) {
  return Owned<EVP_PKEY>(
      PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_password, nullptr));
}

std::optional<Time> time_of(const ASN1_TIME* stamp) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(stamp, &parts) != 1) return std::nullopt;
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

// The values of one kind of name in the subject.
std::vector<std::string> names(const X509* certificate, int kind) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  std::vector<std::string> found;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, kind, at)) >= 0;) {
    unsigned char* text = nullptr;
    const auto* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    const int size = ASN1_STRING_to_UTF8(&text, value);
    if (size < 0) return found;
    found.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  return found;
}

}  // namespace

std::optional<CertificateFacts> certificate_facts(std::string_view pem) {
  const auto certificate = import(pem);
  if (!certificate) return std::nullopt;
  const auto begins = time_of(X509_get0_notBefore(certificate.get()));
  const auto ends = time_of(X509_get0_notAfter(certificate.get()));
  if (!begins || !ends) return std::nullopt;
  CertificateFacts facts;
  const auto common_names = names(certificate.get(), NID_commonName);
  if (!common_names.empty()) facts.common_name = common_names.front();
  facts.organizations = names(certificate.get(), NID_organizationName);
  facts.begins = *begins;
  facts.ends = *ends;
  return facts;
}

std::optional<Time> certificate_end(std::string_view pem) {
  const auto facts = certificate_facts(pem);
  return facts ? std::optional(facts->ends) : std::nullopt;
}

std::string readable_certificates(const std::string& bundle) {
  constexpr std::string_view k_begin = "-----BEGIN CERTIFICATE-----";
  constexpr std::string_view k_end = "-----END CERTIFICATE-----";
  std::size_t at = bundle.find(k_begin);
  if (at == bundle.rfind(k_begin)) return bundle;  // saves the time to load the library
  std::string readable;
  bool all = true;
  for (; at != std::string::npos; at = bundle.find(k_begin, at + 1)) {
    const std::size_t length = bundle.find(k_end, at) - at;
    const std::string block = bundle.substr(at, length) + std::string(k_end) + "\n";
    if (import(block)) {
      readable += block;
    } else {
      all = false;
    }
  }
  return all || readable.empty() ? bundle : readable;
}

IdentityFault check_identity(const net::ClientIdentity& identity) {
  const auto certificate = import(identity.certificate_pem);
  if (!certificate) return IdentityFault::no_certificate;
  const auto key = import_key(identity.key_pem);
  if (!key) {
    const bool encrypted = identity.key_pem.find("ENCRYPTED") != std::string::npos;
    return encrypted ? IdentityFault::encrypted_key : IdentityFault::no_key;
  }
  const bool fits = X509_check_private_key(certificate.get(), key.get()) == 1;
  return fits ? IdentityFault::none : IdentityFault::not_a_pair;
}

namespace {

// client-go's period for certificates; it makes a thousand reconnecting streams cost one reading.
constexpr Duration k_period = std::chrono::seconds(1);

}  // namespace

RotatedFiles::RotatedFiles(Files& files, const AuthInfo& auth)
    : files_(files), paths_(auth.files), identity_(auth.identity) {}

void RotatedFiles::update(Time now) {
  if (read_at_ && now - *read_at_ < k_period) return;
  const bool first = !std::exchange(read_at_, now);
  if (first) return;  // the files have just been read to make the connection
  update_identity();
  update_ca();
}

void RotatedFiles::update_identity() {
  if (!identity_) return;
  net::ClientIdentity fresh = *identity_;
  const auto read = [this](const std::string& path, std::string& text) {
    if (path.empty()) return;
    Result<std::string> content = files_.read(path);
    if (content) text = *std::move(content);
  };
  read(paths_.certificate, fresh.certificate_pem);
  read(paths_.key, fresh.key_pem);
  const bool same =
      fresh.certificate_pem == identity_->certificate_pem && fresh.key_pem == identity_->key_pem;
  if (same || check_identity(fresh) != IdentityFault::none) return;
  identity_ = std::make_shared<const net::ClientIdentity>(std::move(fresh));
}

void RotatedFiles::update_ca() {
  if (paths_.ca.empty()) return;
  Result<std::string> content = files_.read(paths_.ca);
  const bool usable = content && certificate_end(*content).has_value();
  if (!usable) return;
  std::string readable = readable_certificates(*content);
  if (ca_pem_ && *ca_pem_ == readable) return;
  ca_pem_ = std::make_shared<const std::string>(std::move(readable));
}

}  // namespace trainctl::kube
