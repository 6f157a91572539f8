// Finds the certificates this system trusts: each distribution keeps them in a place of its own.
#pragma once

#include <string>

#include "base/environment.h"
#include "base/file/files.h"

namespace trainctl::net {

struct SystemTrust {
  std::string file;       // of PEM certificates; "" = none was found
  std::string directory;  // of certificates by OpenSSL's hashes; "" = none was found
};

// SSL_CERT_FILE and SSL_CERT_DIR replace the places of the distributions.
SystemTrust find_system_trust(const Environment& env, Files& files);

// All places, in the order in which they are searched, for messages.
std::string system_trust_places();

}  // namespace trainctl::net
