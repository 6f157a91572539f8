// Certificate, key and CA files, read again while a command runs: they are replaced under long
// follows.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/files.h"
#include "base/time.h"
#include "kube/kubeconfig.h"
#include "net/http.h"

namespace trainctl::kube {

class RotatedFiles {
 public:
  // What `auth` was made of stays in use until a file says something else.
  RotatedFiles(Files& files, const AuthInfo& auth);

  // Reads the files again, at most once a second. What cannot be used (missing, half written, a
  // certificate whose key has not come yet) is passed over.
  void update(Time now);

  // Changes only when the content does, since connections hang on the object.
  const std::shared_ptr<const net::ClientIdentity>& identity() const { return identity_; }
  // Null while the endpoint's own is good.
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
