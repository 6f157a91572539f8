// Implements --set POINTER=VALUE, which sets any field of a manifest.
#pragma once

#include <string>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::job {

// The value is read as a YAML scalar, else it is a text; null removes the field. Missing parents
// are created, as a list when the next step is its first element (0 or -, which appends).
// Code::usage for a pointer that leads past the end of a list or through a text.
Status apply_setting(const std::string& text, Json& manifest);

}  // namespace trainctl::job
