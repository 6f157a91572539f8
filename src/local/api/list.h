// Answers lists, whole or in pages; all pages show the state of one moment.
#pragma once

#include "local/api/call.h"
#include "local/api/options.h"
#include "local/api/view.h"

namespace trainctl::local {

Answered<Json> list_objects(const ApiParts& parts, const ApiCall& call, const ListOptions& options,
                            const View& view);

// The sort key of lists: "NAMESPACE/NAME", or the name alone.
std::string list_key(const Json& object);

}  // namespace trainctl::local
