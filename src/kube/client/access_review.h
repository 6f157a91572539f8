// Asks the API server whether the user may do something (SelfSubjectAccessReview), which every
// authenticated user may ask.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "kube/client/client.h"

namespace trainctl::kube {

struct Action {
  std::string_view verb;  // "create", "watch"
  Resource resource;
  std::string_view subresource = "";  // "log"
};

net::Request review_request(const Action& action, std::string_view ns);

// The server's decision; nullopt when the answer holds none.
std::optional<bool> is_allowed(const std::variant<Json, Failure>& answer);

}  // namespace trainctl::kube
