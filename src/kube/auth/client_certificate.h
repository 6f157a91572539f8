// Reads client certificates and their keys before a server is asked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/files.h"
#include "base/text/time.h"
#include "kube/config/kubeconfig.h"
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

// Certificate, key and CA files, read again while a command runs, because they are replaced during
// long follows.
class RotatedFiles {
 public:
  // The content that `auth` was made from stays in use until a file changes.
  RotatedFiles(Files& files, const AuthInfo& auth);

  // Reads the files again, at most once a second. Unusable content is ignored: a missing or
  // half-written file, a certificate whose key has not come yet.
  void update(Time now);

  // Changes only with the content, since connections are tied to the object.
  const std::shared_ptr<const net::ClientIdentity>& identity() const { return identity_; }
  // Null while the endpoint's own CA is current.
  const std::shared_ptr<const std::string>& ca_pem() const { return ca_pem_; }

 private:
  void update_identity();
  void update_ca();

  Files& files_;
  PemFiles paths_;
  std::shared_ptr<const net::ClientIdentity> identity_;
  std::shared_ptr<const std::string> ca_pem_;
  std::optional<Time> read_at_;
};

}  // namespace trainctl::kube
