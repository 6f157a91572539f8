// Asks a server which resources it has, and what their fields are. Every authenticated user may.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "kube/client/client.h"
#include "kube/client/resource.h"

namespace trainctl::kube {

// Returns whether the server has this resource: its group alone proves nothing, since others may
// share it. Awaited: only from top-level code.
Result<bool> serves(Client& client, const Resource& resource);

// The OpenAPI v3 document of the resource's group and version, which may be a megabyte long.
Result<Json> openapi_of(Client& client, const Resource& resource);

struct ServedVersions {
  std::string kubernetes;                 // "v1.34.4"
  std::vector<std::string> api_versions;  // "kubeflow.org/v1"; each group's in the server's order
};
// Asks for the server's own version, and for all that it serves of these groups.
Result<ServedVersions> served_versions(Client& client, std::span<const std::string_view> groups);

// Asks the API server whether the user may do something (SelfSubjectAccessReview), which every
// authenticated user may ask.
struct Action {
  std::string_view verb;  // "create", "watch"
  Resource resource;
  std::string_view subresource = "";  // "log"
};

net::Request review_request(const Action& action, std::string_view ns);

// The server's decision; nullopt when the answer holds none.
std::optional<bool> is_allowed(const std::variant<Json, Failure>& answer);

}  // namespace trainctl::kube
