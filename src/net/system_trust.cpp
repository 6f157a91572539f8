// A static program cannot know at compile time which distribution it will run on.
#include "net/system_trust.h"

#include "base/text/text.h"

namespace trainctl::net {

namespace {

constexpr const char* k_files[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Arch, NixOS
    "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, RHEL
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // the same, without the link
    "/etc/ssl/cert.pem",                                  // Alpine
    "/etc/ssl/ca-bundle.pem",                             // SUSE
};
constexpr const char* k_directory = "/etc/ssl/certs";

}  // namespace

SystemTrust find_system_trust(const Environment& env, Files& files) {
  SystemTrust found{env.text("SSL_CERT_FILE"), env.text("SSL_CERT_DIR")};
  if (!found.file.empty() || !found.directory.empty()) return found;
  for (const char* file : k_files) {
    if (!files.exists(file)) continue;
    found.file = file;
    break;
  }
  if (files.exists(k_directory)) found.directory = k_directory;
  return found;
}

std::string system_trust_places() {
  std::string places = "SSL_CERT_FILE, SSL_CERT_DIR";
  for (const char* file : k_files) places += cat(", ", file);
  return places;
}

}  // namespace trainctl::net
