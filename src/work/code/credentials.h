// Files whose names say that they hold credentials. Pure.
#pragma once

#include <string_view>

#include "work/code/ignore.h"

namespace trainctl::work {

class CredentialNames {
 public:
  CredentialNames();
  // True for the path of a file such as .env, deploy.pem, .ssh/id_ed25519 or .aws/credentials, in
  // any case of letters; not for a public key or an example (.env.example).
  bool hold(std::string_view path) const;

 private:
  IgnoreRules rules_;
};

}  // namespace trainctl::work
