// Just enough OpenAPI for clients to see that writes may be dry runs and are validated by field.
#pragma once

#include <string_view>

#include "base/value/json.h"

namespace trainctl::local {

// The answer to /openapi/v3, which lists the documents of the group versions.
Json openapi_index();
// The document of "" and "v1", or "kubeflow.org" and "v1".
Json openapi_document(std::string_view group, std::string_view version);

}  // namespace trainctl::local
