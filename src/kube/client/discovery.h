// Asks a server which resources it has, and what their fields are. Every authenticated user may.
#pragma once

#include <span>
#include <string>
#include <string_view>
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

}  // namespace trainctl::kube
