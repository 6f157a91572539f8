// Watches: changes as JSON lines, from a version on.
#pragma once

#include "local/api/api_call.h"
#include "local/api/api_options.h"
#include "local/api/api_view.h"

namespace trainctl::local {

Answered<ApiAnswer> watch_objects(const ApiParts& parts, const ApiCall& call, ListOptions options,
                                  const View& view);

}  // namespace trainctl::local
