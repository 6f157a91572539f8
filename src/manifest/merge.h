// Merges JSON values strategically: the one way in which templates, overlays and flags combine.
#pragma once

#include "base/value/json.h"

namespace trainctl::job {

// Merges patch into base as `kubectl patch --type=strategic` would for a pod template. Pure.
// - Objects merge key by key; null deletes; an object of nothing but deletions creates nothing.
// - Lists with a merge key merge element by element; `$patch: delete`
//   in an element removes it. Lists of k_appended grow at the end without repeating equal elements.
// - Other lists and scalars are replaced.
void strategic_merge(Json& base, const Json& patch);

}  // namespace trainctl::job
