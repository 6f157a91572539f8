// Finds oddities of a manifest that the server would accept.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// Warnings of one sentence each: unknown fields, no backoffLimit, plain variables that look like
// credentials, …
std::vector<std::string> manifest_warnings(const Kind& kind, const Json& manifest);

}  // namespace trainctl::job
