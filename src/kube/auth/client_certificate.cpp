// Reads certificates and keys with GnuTLS, which is loaded anyway and loads faster than OpenSSL.
#include "kube/auth/client_certificate.h"

#include <ctime>
#include <memory>
#include <utility>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "base/file/gnutls_library.h"

namespace trainctl::kube {
namespace {

struct FreeCertificate {
  void operator()(gnutls_x509_crt_t certificate) const { gnutls_x509_crt_deinit(certificate); }
};
using X509 = std::unique_ptr<gnutls_x509_crt_int, FreeCertificate>;

struct FreeKey {
  void operator()(gnutls_x509_privkey_t key) const { gnutls_x509_privkey_deinit(key); }
};
using Key = std::unique_ptr<gnutls_x509_privkey_int, FreeKey>;

gnutls_datum_t datum_of(std::string& text) {
  return {reinterpret_cast<unsigned char*>(text.data()), static_cast<unsigned>(text.size())};
}

Key import_key(std::string pem) {
  start_gnutls();
  gnutls_x509_privkey_t raw = nullptr;
  if (gnutls_x509_privkey_init(&raw) < 0) return nullptr;
  Key key(raw);
  const gnutls_datum_t datum = datum_of(pem);
  if (gnutls_x509_privkey_import2(raw, &datum, GNUTLS_X509_FMT_PEM, nullptr, 0) < 0) return nullptr;
  return key;
}

// The fingerprint of the public key in a certificate or a private key; "" when there is none.
template <typename Object, typename Read>
std::string key_id(Object* object, Read* read) {
  std::string id(64, '\0');
  std::size_t size = id.size();
  auto* const bytes = reinterpret_cast<unsigned char*>(id.data());
  if (read(object, GNUTLS_KEYID_USE_SHA256, bytes, &size) < 0) return "";
  id.resize(size);
  return id;
}

X509 import(std::string pem) {
  start_gnutls();
  gnutls_x509_crt_t raw = nullptr;
  if (gnutls_x509_crt_init(&raw) < 0) return nullptr;
  X509 certificate(raw);
  const gnutls_datum_t datum = datum_of(pem);
  if (gnutls_x509_crt_import(raw, &datum, GNUTLS_X509_FMT_PEM) < 0) return nullptr;
  return certificate;
}

// The values of one kind of name in the subject.
std::vector<std::string> names(const X509& certificate, const char* oid) {
  std::vector<std::string> found;
  for (unsigned index = 0;; ++index) {
    std::string text(256, '\0');
    std::size_t size = text.size();
    const int outcome =
        gnutls_x509_crt_get_dn_by_oid(certificate.get(), oid, index, 0, text.data(), &size);
    if (outcome < 0) return found;
    text.resize(size);
    found.push_back(std::move(text));
  }
}

}  // namespace

std::optional<CertificateFacts> certificate_facts(std::string_view pem) {
  const X509 certificate = import(std::string(pem));
  if (!certificate) return std::nullopt;
  const std::time_t begin = gnutls_x509_crt_get_activation_time(certificate.get());
  const std::time_t end = gnutls_x509_crt_get_expiration_time(certificate.get());
  constexpr auto k_unknown = static_cast<std::time_t>(-1);
  if (begin == k_unknown || end == k_unknown) return std::nullopt;
  CertificateFacts facts;
  const auto common_names = names(certificate, GNUTLS_OID_X520_COMMON_NAME);
  if (!common_names.empty()) facts.common_name = common_names.front();
  facts.organizations = names(certificate, GNUTLS_OID_X520_ORGANIZATION_NAME);
  facts.begins = std::chrono::system_clock::from_time_t(begin);
  facts.ends = std::chrono::system_clock::from_time_t(end);
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
  const X509 certificate = import(identity.certificate_pem);
  if (!certificate) return IdentityFault::no_certificate;
  const Key key = import_key(identity.key_pem);
  if (!key) {
    const bool encrypted = identity.key_pem.find("ENCRYPTED") != std::string::npos;
    return encrypted ? IdentityFault::encrypted_key : IdentityFault::no_key;
  }
  const std::string wanted = key_id(certificate.get(), gnutls_x509_crt_get_key_id);
  const bool fits = wanted == key_id(key.get(), gnutls_x509_privkey_get_key_id);
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
