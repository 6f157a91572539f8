// The patches of the API: JSON patch, merge patch and strategic merge patch.
#pragma once

#include "base/json.h"
#include "local/api_error.h"

namespace trainctl::local {

// RFC 6902. 422 as the server words it when an operation does not fit, 400 when it is none.
Answered<Json> json_patch(Json object, const Json& operations);

// RFC 7386: null deletes.
void merge_patch(Json& object, const Json& patch);

// Lists of core objects merge by their keys; understands $patch, $deleteFromPrimitiveList,
// $retainKeys and ignores $setElementOrder.
void strategic_patch(Json& object, const Json& patch);

}  // namespace trainctl::local
