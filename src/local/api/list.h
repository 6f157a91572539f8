// Lists: whole or in pages, each page of the same moment.
#pragma once

#include "local/api/call.h"
#include "local/api/options.h"
#include "local/api/view.h"

namespace trainctl::local {

Answered<Json> list_objects(const ApiParts& parts, const ApiCall& call, const ListOptions& options,
                            const View& view);

// "NAMESPACE/NAME", or the name alone: the order of lists.
std::string list_key(const Json& object);

}  // namespace trainctl::local
