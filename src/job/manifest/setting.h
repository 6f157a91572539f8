// --set POINTER=VALUE: one field of a manifest, wherever it is.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"

namespace trainctl::job {

// The value is read as a YAML scalar, else it is a text; null takes the field out. What is missing
// on the way is made, a list when its first element is asked for (0 or -, which appends).
// Code::usage for a pointer that leads off the end of a list or through a text.
Status apply_setting(const std::string& text, Json& manifest);

}  // namespace trainctl::job
