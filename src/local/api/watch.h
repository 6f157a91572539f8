// Answers watches: changes after a version, as JSON lines.
#pragma once

#include "local/api/call.h"
#include "local/api/options.h"
#include "local/api/view.h"

namespace trainctl::local {

Answered<ApiAnswer> watch_objects(const ApiParts& parts, const ApiCall& call, ListOptions options,
                                  const View& view);

}  // namespace trainctl::local
