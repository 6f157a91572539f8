// Merges JSON values strategically: the one way in which templates, overlays and flags combine.
#pragma once

#include <string>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::job {

// Merges patch into base as `kubectl patch --type=strategic` would for a pod template. Pure.
// - Objects merge key by key; null deletes; an object of nothing but deletions creates nothing.
// - Lists with a merge key (kube/object/merge_keys.cpp) merge element by element; `$patch: delete`
//   in an element removes it. Lists of k_appended grow at the end without repeating equal elements.
// - Other lists and scalars are replaced.
void strategic_merge(Json& base, const Json& patch);

// Implements --set POINTER=VALUE, which sets any field of a manifest.

// The value is read as a YAML scalar, else it is a text; null removes the field. Missing parents
// are created, as a list when the next step is its first element (0 or -, which appends).
// Code::usage for a pointer that leads past the end of a list or through a text.
Status apply_setting(const std::string& text, Json& manifest);

}  // namespace trainctl::job
