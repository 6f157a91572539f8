// Reads client certificates and their keys before a server is asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "net/http.h"

namespace trainctl::kube {

struct CertificateFacts {
  std::string common_name;                 // the user's name, to a Kubernetes server
  std::vector<std::string> organizations;  // its groups
  Time begins, ends;
};

// The facts of the first certificate in a PEM text; nullopt when there is none.
std::optional<CertificateFacts> certificate_facts(std::string_view pem);
// The end of its validity; nullopt when it cannot be read.
std::optional<Time> certificate_end(std::string_view pem);

// A bundle without the certificates that cannot be read, which Go skips as well; the whole bundle
// when all can be read, or none.
std::string readable_certificates(const std::string& bundle);

enum class IdentityFault { none, no_certificate, no_key, encrypted_key, not_a_pair };

// Checks that certificate and key can be read and belong together. An encrypted key cannot be used:
// asking for its password would hang a command that nobody attends.
IdentityFault check_identity(const net::ClientIdentity& identity);

}  // namespace trainctl::kube
