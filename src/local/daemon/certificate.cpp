// Makes the self-signed certificate with GnuTLS.
#include "local/daemon/certificate.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "base/file/gnutls_library.h"
#include "base/text/text.h"
#include "kube/auth/client_certificate.h"
#include "local/daemon/private_file.h"

namespace trainctl::local {
namespace {

constexpr auto k_lifetime = std::chrono::hours(24 * 365);
constexpr auto k_renewal = std::chrono::hours(24 * 30);
constexpr auto k_clock_skew = std::chrono::hours(1);
constexpr std::string_view k_common_name = "trainctl-local";
constexpr std::string_view k_end_of_certificate = "-----END CERTIFICATE-----\n";

struct FreeKey {
  void operator()(gnutls_x509_privkey_t key) const { gnutls_x509_privkey_deinit(key); }
};
struct FreeCertificate {
  void operator()(gnutls_x509_crt_t certificate) const { gnutls_x509_crt_deinit(certificate); }
};
using PrivateKey = std::unique_ptr<gnutls_x509_privkey_int, FreeKey>;
using X509 = std::unique_ptr<gnutls_x509_crt_int, FreeCertificate>;

std::string text_of(gnutls_datum_t& datum) {
  std::string text(reinterpret_cast<const char*>(datum.data), datum.size);
  gnutls_free(datum.data);
  return text;
}

PrivateKey make_key() {
  start_gnutls();
  gnutls_x509_privkey_t raw = nullptr;
  if (gnutls_x509_privkey_init(&raw) < 0) return nullptr;
  PrivateKey key(raw);
  const unsigned bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);
  if (gnutls_x509_privkey_generate(raw, GNUTLS_PK_ECDSA, bits, 0) < 0) return nullptr;
  return key;
}

X509 make_x509() {
  start_gnutls();
  gnutls_x509_crt_t raw = nullptr;
  return gnutls_x509_crt_init(&raw) < 0 ? nullptr : X509(raw);
}

bool fill(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, Time now) {
  std::array<unsigned char, 16> serial{};
  if (gnutls_rnd(GNUTLS_RND_NONCE, serial.data(), serial.size()) < 0) return false;
  serial[0] &= 0x7f;  // a positive number
  serial[0] |= 0x40;
  constexpr std::array<unsigned char, 4> k_loopback_address = {127, 0, 0, 1};
  constexpr std::string_view k_localhost = "localhost";
  const auto seconds = [](Time time) {
    return std::chrono::system_clock::to_time_t(
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
  };
  const auto done = {
      gnutls_x509_crt_set_version(certificate, 3),
      gnutls_x509_crt_set_serial(certificate, serial.data(), serial.size()),
      gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0,
                                    k_common_name.data(), k_common_name.size()),
      gnutls_x509_crt_set_activation_time(certificate, seconds(now - k_clock_skew)),
      gnutls_x509_crt_set_expiration_time(certificate, seconds(now + k_lifetime)),
      gnutls_x509_crt_set_key(certificate, key),
      // It is its own CA: clients get it as their CA.
      gnutls_x509_crt_set_basic_constraints(certificate, 1, 0),
      gnutls_x509_crt_set_key_usage(certificate,
                                    GNUTLS_KEY_DIGITAL_SIGNATURE | GNUTLS_KEY_KEY_CERT_SIGN),
      gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0),
      gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, k_localhost.data(),
                                           k_localhost.size(), GNUTLS_FSAN_SET),
      gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS,
                                           k_loopback_address.data(), k_loopback_address.size(),
                                           GNUTLS_FSAN_APPEND),
      gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0),
  };
  return std::ranges::all_of(done, [](int outcome) { return outcome >= 0; });
}

Result<Certificate> make_certificate(Time now) {
  const Error failed{Code::error, "cannot make a certificate for the loopback port", ""};
  const PrivateKey key = make_key();
  const X509 certificate = make_x509();
  if (!key || !certificate || !fill(certificate.get(), key.get(), now)) return failed;
  gnutls_datum_t certificate_pem{};
  gnutls_datum_t key_pem{};
  if (gnutls_x509_crt_export2(certificate.get(), GNUTLS_X509_FMT_PEM, &certificate_pem) < 0) {
    return failed;
  }
  Certificate made{text_of(certificate_pem), ""};
  if (gnutls_x509_privkey_export2(key.get(), GNUTLS_X509_FMT_PEM, &key_pem) < 0) return failed;
  made.key_pem = text_of(key_pem);
  return made;
}

Certificate parts_of(const std::string& file) {
  const auto end = file.find(k_end_of_certificate);
  if (end == std::string::npos) return {};
  const std::size_t middle = end + k_end_of_certificate.size();
  return {file.substr(0, middle), file.substr(middle)};
}

}  // namespace

std::optional<Time> expiry_of(const std::string& certificate_pem) {
  const auto facts = kube::certificate_facts(certificate_pem);
  return facts ? std::optional(facts->ends) : std::nullopt;
}

Result<Certificate> certificate_at(const std::string& path, Time now) {
  Certificate kept = parts_of(read_private(path));
  const auto end = expiry_of(kept.certificate_pem);
  if (end && *end - now > k_renewal && !kept.key_pem.empty()) return kept;
  TRY_ASSIGN(Certificate made, make_certificate(now));
  TRY(write_private(path, made.certificate_pem + made.key_pem));
  return made;
}

Result<std::string> token_at(const std::string& path) {
  constexpr std::size_t k_token_bytes = 32;
  if (std::string kept = read_private(path); kept.size() == 2 * k_token_bytes) return kept;
  std::array<unsigned char, k_token_bytes> random{};
  start_gnutls();
  if (gnutls_rnd(GNUTLS_RND_KEY, random.data(), random.size()) < 0) {
    return Error{Code::error, "cannot make a token: no randomness", ""};
  }
  constexpr std::string_view k_hex_digits = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : random) {
    token += k_hex_digits[byte >> 4U];
    token += k_hex_digits[byte & 0xfU];
  }
  TRY(write_private(path, token));
  return token;
}

}  // namespace trainctl::local
