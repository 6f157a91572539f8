// Asks a server which resources it has, and what their fields are. Every authenticated user may.
#pragma once

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

}  // namespace trainctl::kube
