// Applies the API's patches: JSON patch, merge patch and strategic merge patch.
#pragma once

#include "base/value/json.h"
#include "local/api_error.h"

namespace trainctl::local {

// Applies an RFC 6902 patch. 422, worded as by the server, when an operation does not apply, 400
// when it is invalid.
Answered<Json> json_patch(Json object, const Json& operations);

// Applies an RFC 7386 patch, in which null deletes.
void merge_patch(Json& object, const Json& patch);

// Applies a strategic merge patch: lists of core objects merge by their keys. Supports $patch,
// $deleteFromPrimitiveList and $retainKeys, and ignores $setElementOrder.
void strategic_patch(Json& object, const Json& patch);

}  // namespace trainctl::local
