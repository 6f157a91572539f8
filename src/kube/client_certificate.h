// What a certificate says of its owner, for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace trainctl::kube {

struct CertificateFacts {
  std::string common_name;                 // the user's name, to a Kubernetes server
  std::vector<std::string> organizations;  // its groups
  Time begins, ends;
};

// Of the first certificate in a PEM text; nullopt when there is none.
std::optional<CertificateFacts> certificate_facts(std::string_view pem);

}  // namespace trainctl::kube
