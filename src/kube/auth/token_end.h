// When a bearer token expires, by its own claim.
#pragma once

#include <optional>
#include <string_view>

#include "base/text/time.h"

namespace trainctl::kube {

// The `exp` of a JSON web token, which service accounts and OIDC providers use; nullopt for every
// other token. Nothing is verified: that is the server's business.
std::optional<Time> token_end(std::string_view token);

}  // namespace trainctl::kube
