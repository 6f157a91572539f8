// Answers watches: changes after a version, as JSON lines.
#pragma once

#include "local/api/call.h"
#include "local/api/query.h"

namespace trainctl::local {

ApiAnswer watch_objects(const ApiParts& parts, const ApiCall& call, ListOptions options);

}  // namespace trainctl::local
