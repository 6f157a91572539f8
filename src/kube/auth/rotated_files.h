// Certificate, key and CA files, read again while a command runs, because they are replaced during
// long follows.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file/files.h"
#include "base/text/time.h"
#include "kube/config/kubeconfig.h"
#include "net/http.h"

namespace trainctl::kube {

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
