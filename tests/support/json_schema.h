// Tells whether a value fits a JSON Schema, as far as our schemas go.
#pragma once

#include <string>

#include "base/value/json.h"

namespace trainctl::testing {

// Why the value does not fit: "/phase: not one of …"; "" = it fits. `root` is the whole schema, to
// which references are relative. Throws logic_error for a keyword that it does not know.
std::string misfit(const Json& value, const Json& root);

}  // namespace trainctl::testing
